#!/bin/sh
# The Python package against the command line, and beside pgmpy and pyAgrum, on one pinned core.
#   benches/python/run.sh [--only import,handover,call,predict,stop,peers]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
venv=$target/python-bench-venv
if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/pip" install --quiet numpy pandas polars pyarrow pgmpy pyagrum
fi
"$venv/bin/pip" install --quiet --force-reinstall --no-deps "$root"
cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p clausality-cli
core=${CORE:-$(($(nproc) - 1))}
commit=$(git -C "$root" rev-parse --short HEAD)
git -C "$root" diff --quiet HEAD -- crates python || commit=$commit-changed
exec taskset -c "$core" "$venv/bin/python" "$here/python.py" --program "$target/release/clausality" \
    --out "$root/benches/results/python-$(date +%F)-$commit.json" --commit "$commit" "$@"
