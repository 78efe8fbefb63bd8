#!/usr/bin/env bash
# The explorer's page in Chromium: milliseconds from a click to moved bars, and a frame while one zooms. Needs what scripts/browser-test needs.
#   benches/explorer/page.sh                @alarm and @diabetes
#   benches/explorer/page.sh net.bif …      other networks
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${CLAUSALITY_PROGRAM:-${CARGO_TARGET_DIR:-$root/target}/release/clausality}
[ -x "$program" ] || cargo build --quiet --release --manifest-path "$root/Cargo.toml"
commit=$(git -C "$root" rev-parse --short HEAD)
git -C "$root" diff --quiet HEAD -- crates || commit=$commit-changed
echo "$(date +%F), commit $commit, $(uname -m), $(nproc) cores, load before $(cut -d' ' -f1 /proc/loadavg); median (5 % – 95 %), in milliseconds"
echo
echo "| network | nodes | click to moved bars | of that the answer | KiB of it | a frame while zooming | frames/s | of a frame the page's own work |"
echo "|---|---|---|---|---|---|---|---|"
[ $# -gt 0 ] || set -- @alarm @diabetes
for model in "$@"; do CLAUSALITY_BIN=$program node "$root/benches/explorer/page.mjs" "$model"; done
