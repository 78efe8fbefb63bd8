#!/usr/bin/env bash
# Runs the study of Type III feedback on one pinned core and keeps its table with date, commit and machine.
set -euo pipefail
cd "$(dirname "$0")/.."
. validation/pinned.sh
study type-iii type_iii_study 'Type III feedback'
