#!/usr/bin/env bash
# What it costs to keep what is finished of a run: the share of CPU time, by samples of stacks, on a busy machine too. Takes Linux, perf and python3;
# PROGRAM names another binary than the one built here.
#   validation/keeping.sh
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${PROGRAM:-}" ]; then
  cargo build --release --quiet
  PROGRAM="${CARGO_TARGET_DIR:-target}/release/clausality"
fi
out="validation/keeping-$(date +%F)-$(git rev-parse --short HEAD).md"
python3 validation/keeping.py "$PROGRAM" | tee "$out"
