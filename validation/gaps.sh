#!/usr/bin/env bash
# Learning from tables with gaps, beside complete cases, gaps as states, structural EM and pyAgrum: validation/gaps.sh [OPTIONS OF gaps.py]
# About 25 minutes on one core. Writes validation/gaps-DATE-COMMIT.{jsonl,md}.
set -euo pipefail
cd "$(dirname "$0")/.."
. validation/venv.sh
cargo build --release -p clausality-cli
peers "${CLAUSALITY_PEERS:-target/peers-gaps}" pyagrum==3.3.1
out="validation/gaps-$(date +%F)-$(git rev-parse --short HEAD)"
{
  echo "# Learning from tables with gaps"
  echo
  echo "$(date +%F), commit $(git rev-parse --short HEAD), $(uname -m), $(nproc) cores. CPDAG-SHD to the true network, mean ± standard deviation over the seeds; CPU seconds in brackets. \`validation/gaps.sh $*\`"
  echo
  "$python" validation/gaps.py target/release/clausality -o "$out.jsonl" "$@" | grep '^|'
} > "$out.md"
cat "$out.md"
