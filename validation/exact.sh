#!/usr/bin/env bash
# The gap to the best graph there is, by an exact search, on asia, child, insurance and alarm.
#
#   validation/exact.sh [NETWORKS [ROWS [SEEDS]]]      (asia,child,insurance,alarm 5000 3)
#
# Keeps the result with date, commit and machine under validation/.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet -p clausality --example exact_study
commit=$(git rev-parse --short HEAD)
out="validation/exact-$(date +%F)-$commit.md"
{
  echo "# The gap to the optimum"
  echo
  echo "Date $(date +%F), commit $commit, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs). Nats; at most four parents a node."
  echo "Objectives: \`first\` is BDeu less ½ ln m a parent (the search over orders), \`last\` is fNML less ln m a parent (the last climb, which also asks BIC before it adds)."
  echo
  "${CARGO_TARGET_DIR:-target}/release/examples/exact_study" "${1:-asia,child,insurance,alarm}" "${2:-5000}" "${3:-3}"
} | tee "$out.part"
mv "$out.part" "$out"
