#!/usr/bin/env bash
# Reading and coding a 1,000,000 x 20 CSV beside polars' read_csv, one thread and one pinned core each, in one run.
#
#   benches/data/read_csv.sh [CORE]
#
# Makes a virtual environment and the table under target/bench-data, builds the release binary, runs both in turns and
# prints the ratio of CPU seconds and our peak memory against the file's size. The raw numbers are added, with date, commit
# and machine, to benches/results/.
set -euo pipefail
cd "$(dirname "$0")/../.."
core="${1:-0}"
work="${CARGO_TARGET_DIR:-target}/bench-data"
mkdir -p "$work" benches/results
[ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv"
"$work/venv/bin/python" -c 'import polars' 2>/dev/null || "$work/venv/bin/pip" install --quiet polars
[ -f "$work/table.csv" ] || python3 benches/data/make_table.py "$work/table.csv"
cargo build --release --quiet -p clausality-cli
exec "$work/venv/bin/python" benches/data/read_csv.py \
  --program "${CARGO_TARGET_DIR:-target}/release/clausality" --table "$work/table.csv" --core "$core" \
  --results "benches/results/read-csv-$(date +%F)-$(git rev-parse --short HEAD).json"
