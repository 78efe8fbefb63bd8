#!/usr/bin/env bash
# The explorer's server under load: wrk asks for the network's document over 50 connections for 10 seconds.
#   benches/explorer/run.sh              @alarm
#   benches/explorer/run.sh net.bif      another network
# Needs wrk (Debian: wrk). Required: 2,000 requests a second, no error, 99 of 100 within 25 ms.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
model=${1:-@alarm}
program=${CARGO_TARGET_DIR:-$root/target}/release/clausality
cargo build --quiet --release --manifest-path "$root/Cargo.toml"
commit=$(git -C "$root" rev-parse --short HEAD)
git -C "$root" diff --quiet HEAD -- crates || commit=$commit-changed
load=$(cut -d' ' -f1 /proc/loadavg)

work=$(mktemp -d)
"$program" explore "$model" --no-open --quiet >"$work/url" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -r "$work"' EXIT
until [ -s "$work/url" ]; do sleep 0.1; done
url=$(head -n 1 "$work/url")
base=${url%%\?*}
cookie=$(curl --silent --output /dev/null --dump-header - "$url" | sed -n 's/^set-cookie: \([^;]*\).*/\1/p' | tr -d '\r')
bytes=$(curl --silent --header "Cookie: $cookie" "${base}api/network" | wc -c)
cat >"$work/ask.lua" <<LUA
wrk.method = "POST"
wrk.body = '{"evidence": {}}'
wrk.headers["Content-Type"] = "application/json"
LUA
wrk --threads 2 --connections 50 --duration 10s --latency --header "Cookie: $cookie" "${base}api/network" >"$work/network"
wrk --threads 1 --connections 4 --duration 5s --latency --header "Cookie: $cookie" --script "$work/ask.lua" "${base}api/posteriors" >"$work/posteriors"

out=$root/benches/results/explorer-$(date +%F)-$commit.md
python3 "$here/summary.py" "$work" >"$out" --model "$model" --bytes "$bytes" --commit "$commit" --load "$load"
cat "$out"
