#!/usr/bin/env bash
# How the time and memory of learning grow with rows and with columns, on one pinned core, beside a peer from PyPI.
#
#   benches/scaling/run.sh [--core 1] [--limit 900] [--peer-limit 900] [--quick]
#
# Keeps the figures, with date, commit and machine, under benches/results/ and draws docs/performance.svg from them.
set -euo pipefail
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}"
work="$target/learners"
mkdir -p "$work"
. validation/venv.sh
peers "$work/venv" pyagrum pgmpy causal-learn
cargo build --release --quiet -p clausality-cli
exec "$python" benches/scaling/scaling.py --program "$target/release/clausality" --work "$work" "$@"
