#!/bin/sh
# The machine benchmark: finds a Python that NumPy 1.26 has wheels for, and leaves the rest to run.py.
#   benches/machine/run.sh                 everything (about 40 minutes on a quiet core)
#   benches/machine/run.sh --quick         about ten minutes, to see that it works
#   benches/machine/run.sh --help
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for python in ${PYTHON:-python3 python3.12 python3.11 python3.10 python3.9}; do
    if "$python" -c 'import sys, venv; sys.exit(not (3, 9) <= sys.version_info < (3, 13))' 2>/dev/null; then
        exec "$python" "$here/run.py" "$@"
    fi
done
echo "error: no Python 3.9 to 3.12 with venv found (tmu needs NumPy < 2); set PYTHON=/path/to/python" >&2
exit 2
