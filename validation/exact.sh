#!/usr/bin/env bash
# The gap to the best graph there is, by an exact solver, on asia, child, insurance and alarm.
#
#   validation/exact.sh [--networks asia,child] [--rows 5000] [--seeds 3]
#
# Makes a virtual environment under target/, and keeps the result with date, commit and machine under validation/.
set -euo pipefail
cd "$(dirname "$0")/.."
work="${CARGO_TARGET_DIR:-target}/exact"
mkdir -p "$work"
. validation/venv.sh
peers "$work/venv" highspy numpy
cargo build --release --quiet -p clausality --example local_scores
commit=$(git rev-parse --short HEAD)
out="validation/exact-$(date +%F)-$commit.md"
{
  echo "# The gap to the optimum"
  echo
  echo "Date $(date +%F), commit $commit, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs). Nats; at most four parents a node; $("$python" -c 'import highspy; print("HiGHS", highspy.Highs().version())')."
  echo "Objectives: \`first\` is BDeu less ½ ln m a parent (the search over orders), \`last\` is fNML less ln m a parent (the last climb, which also asks BIC before it adds)."
  echo
  "$python" validation/exact.py --program "${CARGO_TARGET_DIR:-target}/release/examples/local_scores" "$@"
} | tee "$out.part"
mv "$out.part" "$out"
