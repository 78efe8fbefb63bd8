#!/usr/bin/env bash
# Networks over time learned back, beside pyAgrum's k-TBN learners and tigramite: validation/time.sh [OPTIONS OF time.py]
# Writes validation/time-DATE-COMMIT.{jsonl,md}.
set -euo pipefail
cd "$(dirname "$0")/.."
. validation/venv.sh
program="${CLAUSALITY_PROGRAM:-target/release/clausality}"
[ -n "${CLAUSALITY_PROGRAM:-}" ] || cargo build --release -p clausality-cli
peers "${CLAUSALITY_PEERS:-target/peers-time}" pyagrum==3.3.1 tigramite numpy pandas
out="validation/time-$(date +%F)-$(git rev-parse --short HEAD)"
{
  echo "# Networks over time, learned back"
  echo
  echo "$(date +%F), commit $(git rev-parse --short HEAD), $(uname -m), $(nproc) cores. Means over the seeds. \`validation/time.sh $*\`"
  echo
  "$python" validation/time.py "$program" -o "$out.jsonl" "$@" | grep '^|'
} > "$out.md"
cat "$out.md"
