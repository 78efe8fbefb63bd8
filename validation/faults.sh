#!/usr/bin/env bash
# A fault at every step of writing: KILL, EIO and ENOSPC at every write, fsync and rename of learn, demo, validate, report and convert
# (strace puts them there), 200 kills at random moments, and two commands at once on one folder, slowed, 50 times. Whole or nothing
# each time. Takes Linux, strace and python3; PROGRAM names another binary than the one built here.
#   validation/faults.sh [--quick]      (every seventh fault, 20 kills, 5 pairs)
set -euo pipefail
cd "$(dirname "$0")/.."
command -v strace >/dev/null || { echo "strace is not installed: nothing was tried" >&2; exit 1; }
if [ -z "${PROGRAM:-}" ]; then
  cargo build --release --quiet
  PROGRAM="${CARGO_TARGET_DIR:-target}/release/clausality"
fi
out="validation/faults-$(date +%F)-$(git rev-parse --short HEAD).md"
python3 validation/faults.py "$PROGRAM" "$@" | tee "$out"
