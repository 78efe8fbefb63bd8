#!/usr/bin/env bash
# Decisions beside pyAgrum's influence diagrams: expected values of actions, the value of perfect information. A minute.
#   validation/decisions.sh [RESULT.md]
set -euo pipefail
cd "$(dirname "$0")/.."
source validation/venv.sh
peers "${CLAUSALITY_VENV:-/tmp/clausality-decisions}" pyagrum
program="${CLAUSALITY_PROGRAM:-target/release/clausality}"
[ -x "$program" ] || cargo build --release -p clausality-cli
"$python" validation/decisions.py "$program" | tee "${1:-/dev/stdout}"
