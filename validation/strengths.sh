#!/usr/bin/env bash
# Runs the strengths study on one pinned core and keeps its table with date, commit and machine.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet -p clausality --example strengths_study
commit=$(git rev-parse --short HEAD)
out="validation/strengths-$(date +%F)-$commit.md"
binary="${CARGO_TARGET_DIR:-target}/release/examples/strengths_study"
{
  echo "# Strengths against the truth"
  echo
  echo "Date $(date +%F), commit $commit, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), one pinned core, load $(cut -d' ' -f1 /proc/loadavg) before."
  echo
  taskset -c 1 /usr/bin/env RAYON_NUM_THREADS=1 "$binary"
} | tee "$out.part"
mv "$out.part" "$out"
