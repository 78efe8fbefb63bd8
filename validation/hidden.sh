#!/usr/bin/env bash
# Hidden causes as a mark (`clausality test`): how many marks are right where a root is left out, and how many there are where nothing is. Half an hour.
#   validation/hidden.sh [ARGUMENT OF hidden.py…]
set -euo pipefail
cd "$(dirname "$0")/.."
program="${CLAUSALITY_PROGRAM:-target/release/clausality}"
[ -x "$program" ] || cargo build --release -p clausality-cli
python3 validation/hidden.py "$program" "$@"
