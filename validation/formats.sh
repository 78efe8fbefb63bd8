#!/usr/bin/env bash
# Network files between clausality, pgmpy, pyAgrum and networkx: what each writes, the others read, and the posteriors agree.
#
#   validation/formats.sh [--networks asia,alarm,…] [--program FILE]
#
# Makes a virtual environment under target/, and keeps the tables, with date, commit and versions, under validation/.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-target}"
venv="$target/formats-venv"
. validation/venv.sh
peers "$venv" pyagrum==3.3.1 pgmpy==1.1.2 networkx jsonschema
case " $* " in *" --program "*) ;; *)
  cargo build --release --quiet -p clausality-cli
  set -- --program "$target/release/clausality" "$@" ;;
esac
exec "$python" validation/formats.py "$@"
