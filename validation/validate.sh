#!/usr/bin/env bash
# Repeats the paper's validation and keeps every unit with date, commit and machine. Run again after an interruption (same
# commit) to go on. Options are passed on: validation/validate.sh --networks asia
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet -p clausality-cli
commit=$(git rev-parse --short HEAD)
out=$(ls -d validation/paper-*-"$commit" 2>/dev/null | head -1 || true)
out="${out:-validation/paper-$(date +%F)-$commit}"
mkdir -p "$out"
start=$(date +%s)
load=$(cut -d' ' -f1 /proc/loadavg)
TIMEFORMAT='%R s elapsed, %U s of processor time'
{ time COLUMNS=80 "${CARGO_TARGET_DIR:-target}/release/clausality" validate -o "$out" "$@"; } 2> >(tee "$out/.time" >&2)
{
  echo "Date $(date +%F), commit $commit, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores, load $load before."
  echo "clausality validate $*"
  tail -1 "$out/.time"
} >> "$out/machine.txt"
rm -f "$out/.time"
echo "kept in $out after $(($(date +%s) - start)) s"
