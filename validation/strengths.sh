#!/usr/bin/env bash
# Runs the strengths study on one pinned core and keeps its table with date, commit and machine.
set -euo pipefail
cd "$(dirname "$0")/.."
. validation/pinned.sh
study strengths strengths_study 'Strengths against the truth'
