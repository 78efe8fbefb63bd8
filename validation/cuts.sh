#!/usr/bin/env bash
# Ways to cut numbers: how well networks over the intervals predict raw values held out, and how well the graphs of continuous samples are
# found, beside pyAgrum's discretiser and its MIIC.
#
#   CLAUSALITY_DATASETS=FOLDER validation/cuts.sh [--seeds 3] [--methods quantile,width,mdl]
#
# FOLDER holds the tables as they were published. Makes a virtual environment under target/, and keeps the result with date, commit and
# machine under validation/.
set -euo pipefail
cd "$(dirname "$0")/.."
work="${CARGO_TARGET_DIR:-target}/cuts"
mkdir -p "$work"
. validation/venv.sh
peers "$work/venv" pyagrum pandas scikit-learn statsmodels
cargo build --release --quiet -p clausality-cli
exec "$python" validation/cuts.py --program "${CARGO_TARGET_DIR:-target}/release/clausality" --work "$work" --peers \
  --datasets "${CLAUSALITY_DATASETS:?the folder with the tables}" \
  --out "validation/cuts-$(date +%F)-$(git rev-parse --short HEAD).md" "$@"
