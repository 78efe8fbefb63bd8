#!/usr/bin/env bash
# Coverage-guided fuzzing of every reader and of what is sent to the explorer: libFuzzer keeps what reaches new code in fuzz/corpus/NAME, and an
# input that fails in fuzz/artifacts/NAME. An input fails that panics, takes 20 seconds (SLOW=120 on a busy machine) or 512 MiB in one piece, is refused without a place, or does
# not come back as it was when written. Takes a nightly compiler and cargo-fuzz (`cargo install cargo-fuzz`). Without them there is the loop:
# `cargo run -p clausality --features config --example fuzz`.
#   fuzz/run.sh [MINUTES [TARGET…]]      (20 minutes; all targets; AT_ONCE=2 for two of them side by side)
# The record goes to validation/fuzz-DATE-COMMIT.md. The corpus is then made small again: what reaches no code that others do not reach goes, and so does
# what is longer than 2 KiB.
set -euo pipefail
cd "$(dirname "$0")"
minutes="${1:-20}"
[ $# -eq 0 ] || shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(bif xmlbif net json csv toml run http)
commit="$(git rev-parse --short HEAD)"
# Without a sanitizer: all that is read is read by safe code, and many more inputs are tried in the same time.
[ -n "${BUILT:-}" ] || cargo +nightly fuzz build --fuzz-dir . --sanitizer none
host="$(rustc +nightly -vV | sed -n 's/^host: //p')"
export TMPDIR="${TMPDIR:-$([ -d /dev/shm ] && echo /dev/shm || echo /tmp)}"

fuzzed() {
  mkdir -p "corpus/$1" "artifacts/$1" "target/seeds/$1"
  /usr/bin/env time -p "target/$host/release/$1" "corpus/$1" "target/seeds/$1" -max_total_time=$((minutes * 60)) -max_len=16384 -timeout="${SLOW:-20}" -rss_limit_mb=1024 \
    -malloc_limit_mb=512 "-dict=target/$1.dict" "-artifact_prefix=artifacts/$1/" -print_final_stats=1 >"target/$1.log" 2>&1 || true
}

# The most of everything in a target's log, as a row.
row() {
  local last; last="$(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9]+/[0-9]+[KMb]*' "target/$1.log" | tail -1)"
  local tried; tried="$(sed -n 's/^stat::number_of_executed_units: *//p' "target/$1.log")"
  local peak; peak="$(sed -n 's/^stat::peak_rss_mb: *//p' "target/$1.log")"
  local slow; slow="$(sed -n 's/^stat::slowest_unit_time_sec: *//p' "target/$1.log")"
  local cpu; cpu="$(awk '/^(user|sys) /{sum += $2} END {printf "%.0f", sum}' "target/$1.log")"
  local wall; wall="$(awk '/^real /{printf "%.0f", $2 / 60}' "target/$1.log")"
  local found; found="$(find "artifacts/$1" -type f | wc -l)"
  echo "| $1 | $wall | $cpu | ${tried:-?} | $(echo "$last" | awk '{print $2" | "$4" | "$6}') | $slow | $peak | $found |"
}

for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "${AT_ONCE:-1}" ]; do wait -n || true; done
  fuzzed "$target" &
done
wait
{
  echo "# Fuzzing by coverage"
  echo
  echo "$(date -u +'%F %H:%M') UTC, commit $commit, $(uname -sm), $(nproc) cores, ${AT_ONCE:-1} at once; $(rustc +nightly -V), libFuzzer without a sanitizer, overflow and debug"
  echo "assertions on. \`fuzz/run.sh $minutes ${targets[*]}\`"
  echo
  echo "| target | minutes | CPU seconds | inputs | edges | features | corpus | slowest (s) | peak (MiB) | findings |"
  echo "|---|---|---|---|---|---|---|---|---|---|"
  for target in "${targets[@]}"; do row "$target"; done
} | tee "../validation/fuzz-$(date -u +%F)-$commit.md"
for target in "${targets[@]}"; do
  rm -rf "target/small/$target"
  mkdir -p "target/small/$target"
  "target/$host/release/$target" -set_cover_merge=1 -use_counters=0 -max_len=2048 "target/small/$target" "corpus/$target" >"target/merge.log" 2>&1
  rm -rf "corpus/$target"
  mv "target/small/$target" "corpus/$target"
done
[ -z "$(find artifacts -type f)" ]
