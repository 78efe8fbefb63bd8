#!/usr/bin/env bash
# Learns networks back from their own samples, ours beside the learners that install from PyPI, in one run on one pinned core.
#
#   validation/learners.sh [--networks asia,child,insurance,alarm,hepar2] [--seeds 3] [--rows 5000] [--core 1] [--limit 600] [--times 1] [--sampler FILE.py]
#   validation/learners.sh --name odd --networks xor,parity,skewed                              parents that act only together
#   validation/learners.sh --name small --networks asia,child,insurance,alarm --rows 100,200,500 --seeds 10   few rows
#
# A network that is not embedded is read from the folder named by CLAUSALITY_NETWORKS (NAME.bif.gz). Makes a virtual
# environment under target/, and keeps every result and a table, with date, commit and machine, under validation/.
set -euo pipefail
cd "$(dirname "$0")/.."
work="${CARGO_TARGET_DIR:-target}/learners"
mkdir -p "$work"
. validation/venv.sh
peers "$work/venv" pyagrum pgmpy causal-learn
cargo build --release --quiet -p clausality-cli
exec "$python" validation/learners.py --program "${CARGO_TARGET_DIR:-target}/release/clausality" --work "$work" "$@"
