#!/usr/bin/env bash
# Rows of alarm in forty files, learned by two threads and by 1, 2 and 4 workers of Dask on this machine, one of them killed on the way: bytes, time,
# the driver's memory, how long tasks take and how soon the scheduler answers. Takes Linux and room on disk (250 bytes a row). PYTHON is one that
# has the package's wheel, dask[distributed] and cryptography, PROGRAM another binary than the one built here.
#   validation/engines.sh [ROWS]      (20000000 unless said)
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${PROGRAM:-}" ]; then
  cargo build --release --quiet
  PROGRAM="${CARGO_TARGET_DIR:-target}/release/clausality"
fi
out="validation/engines-$(date +%F)-$(git rev-parse --short HEAD).md"
"${PYTHON:-python3}" validation/engines.py "$PROGRAM" "$@" | tee "$out"
