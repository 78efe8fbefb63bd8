#!/usr/bin/env bash
# Runs the study of Type III feedback on one pinned core and keeps its table with date, commit and machine.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet -p clausality --example type_iii_study
commit=$(git rev-parse --short HEAD)
out="validation/type-iii-$(date +%F)-$commit.md"
binary="${CARGO_TARGET_DIR:-target}/release/examples/type_iii_study"
{
  echo "# Type III feedback"
  echo
  echo "Date $(date +%F), commit $commit, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), one pinned core, load $(cut -d' ' -f1 /proc/loadavg) before."
  echo
  taskset -c 1 /usr/bin/env RAYON_NUM_THREADS=1 "$binary"
} | tee "$out.part"
mv "$out.part" "$out"
