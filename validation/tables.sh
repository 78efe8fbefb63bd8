#!/usr/bin/env bash
# Real tables: the likelihood of rows held out under our networks and those of peers from PyPI, and false arcs where columns are shuffled.
#
#   CLAUSALITY_DATASETS=FOLDER validation/tables.sh [--seeds 3] [--core 1] [--limit 300]
#
# FOLDER holds adult.csv, Customer-Churn-Records.csv, mushroom.csv, titanic.csv and wine.csv as they were published. Makes a virtual
# environment under target/, and keeps every result and a table, with date, commit and machine, under validation/.
set -euo pipefail
cd "$(dirname "$0")/.."
work="${CARGO_TARGET_DIR:-target}/learners"
mkdir -p "$work"
. validation/venv.sh
peers "$work/venv" pyagrum pgmpy causal-learn
cargo build --release --quiet -p clausality-cli
exec "$python" validation/tables.py --program "${CARGO_TARGET_DIR:-target}/release/clausality" --work "$work" \
  --datasets "${CLAUSALITY_DATASETS:?the folder with the tables}" "$@"
