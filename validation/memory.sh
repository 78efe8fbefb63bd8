#!/usr/bin/env bash
# Memory is a promise: commands under limits on munin, pigs, wide tables and absurd options. Each must end well within its limit and 64 MiB
# of resident memory, or be refused (exit 3) within a second; refusals under ulimit -v too. Takes Linux and python3; PROGRAM names
# another binary than the one built here, CLAUSALITY_NETWORKS a folder with munin.bif.gz and pigs.bif.gz.
#   validation/memory.sh [--quick] [--only TEXT]      (without what learns for minutes; only commands that hold the text)
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${PROGRAM:-}" ]; then
  cargo build --release --quiet
  PROGRAM="${CARGO_TARGET_DIR:-target}/release/clausality"
fi
out="validation/memory-$(date +%F)-$(git rev-parse --short HEAD).md"
python3 validation/memory.py "$PROGRAM" "$@" | tee "$out"
