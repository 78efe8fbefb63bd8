#!/usr/bin/env bash
# A network on trial (`clausality test`): uniform p-values where it is true, removed arcs found. Ten minutes.
#   validation/trial.sh [ARGUMENT OF trial.py…]
set -euo pipefail
cd "$(dirname "$0")/.."
program="${CLAUSALITY_PROGRAM:-target/release/clausality}"
[ -x "$program" ] || cargo build --release -p clausality-cli
python3 validation/trial.py "$program" "$@"
