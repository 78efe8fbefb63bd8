#!/usr/bin/env bash
# Whether the true effect of an action lies in the band that is told, over random networks. Ten minutes.
#   validation/effects.sh [NETWORKS [ROWS]]
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --quiet --release -p clausality --example effects_study -- "$@"
