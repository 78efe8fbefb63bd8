#!/usr/bin/env bash
# Hidden cells found again: `learn` and `impute` beside scikit-learn's IterativeImputer, forests in the manner of missForest, and the mode.
#
#   CLAUSALITY_DATASETS=FOLDER validation/imputation.sh [--seeds 1] [--core 1] [--missing em] [--tables asia,child]
#
# FOLDER holds adult.csv, mushroom.csv, titanic.csv and wine.csv as they were published. Makes a virtual environment under target/, and keeps
# every result and a table, with date, commit and machine, under validation/. About 15 minutes on one core.
set -euo pipefail
cd "$(dirname "$0")/.."
work="${CARGO_TARGET_DIR:-target}/imputation"
mkdir -p "$work"
. validation/venv.sh
peers "$work/venv" pandas scikit-learn
program="${CLAUSALITY:-${CARGO_TARGET_DIR:-target}/release/clausality}"
[ -n "${CLAUSALITY:-}" ] || cargo build --release --quiet -p clausality-cli
exec "$python" validation/imputation.py --program "$program" --work "$work" \
  --datasets "${CLAUSALITY_DATASETS:?the folder with the tables}" "$@"
