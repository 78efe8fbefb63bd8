#!/usr/bin/env bash
# Runs killed (SIGKILL) at random moments and resumed by the same command: each must have the bytes of a run that nobody disturbed. Both
# profiles, bootstrap, a target with folds, more rows than are held, demo. Then what keeping costs. Takes python3; PROGRAM names another binary than the one built here.
#   validation/resume.sh [KILLS]      (200)
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${PROGRAM:-}" ]; then
  cargo build --release --quiet
  PROGRAM="${CARGO_TARGET_DIR:-target}/release/clausality"
fi
out="validation/resume-$(date +%F)-$(git rev-parse --short HEAD).md"
{
  python3 validation/resume.py "$PROGRAM" "${1:-200}"
  cargo run --release --quiet -p clausality --example keeping_study
} | tee "$out"
