#!/usr/bin/env bash
# More rows than memory: rows of alarm in growing number, learned under a limit of 1 GiB; CPU seconds, peak memory, the exponent, and coding
# beside polars' streaming engine on the same files. Takes Linux, python3 and room on disk (250 bytes a row); PROGRAM names another binary
# than the one built here, POLARS a Python that has polars (without it that column stays empty).
#   validation/large.sh [ROWS…]      (100000 1000000 10000000 unless said)
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${PROGRAM:-}" ]; then
  cargo build --release --quiet
  PROGRAM="${CARGO_TARGET_DIR:-target}/release/clausality"
fi
out="validation/large-$(date +%F)-$(git rev-parse --short HEAD).md"
python3 validation/large.py "$PROGRAM" "$@" | tee "$out"
