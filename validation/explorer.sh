#!/usr/bin/env bash
# The explorer attacked: slow readers, half-open connections, pipelines and 10,000 connections, each beside somebody who was let in and whose
# answers have to stay under 100 ms (99 of 100), and nobody waits over a second. Takes Linux and python3; PROGRAM names another binary than the
# one built here.
#   validation/explorer.sh [--seconds 8]
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${PROGRAM:-}" ]; then
  cargo build --release --quiet
  PROGRAM="${CARGO_TARGET_DIR:-target}/release/clausality"
fi
out="validation/explorer-$(date +%F)-$(git rev-parse --short HEAD).md"
python3 validation/explorer.py "$PROGRAM" "$@" | tee "$out"
