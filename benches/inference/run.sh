#!/bin/sh
# Posteriors and times of clausality beside pyAgrum's LazyPropagation and pgmpy, all on one pinned core.
#   benches/inference/run.sh                      everything (about 15 minutes)
#   benches/inference/run.sh --only asia,alarm    some networks
#   benches/inference/run.sh --help
# CLAUSALITY_SHARED names a folder with networks/NAME.bif.gz; without it the embedded networks are used.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
networks=$root/crates/clausality/networks
shared=${CLAUSALITY_SHARED:-$root/../shared}
[ -d "$shared/networks" ] && networks=$shared/networks
venv=$target/inference-venv
if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/pip" install --quiet -r "$here/requirements.txt"
fi
cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p clausality-bn --example queries
core=${CORE:-$(($(nproc) - 1))}
commit=$(git -C "$root" rev-parse --short HEAD)
git -C "$root" diff --quiet HEAD -- crates || commit=$commit-changed
exec taskset -c "$core" "$venv/bin/python" "$here/inference.py" --queries "$target/release/examples/queries" \
    --networks "$networks" --out "$root/benches/results/inference-$(date +%F)-$commit" --commit "$commit" "$@"
