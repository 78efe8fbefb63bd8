# Sourced by studies that are examples of the library: `study NAME EXAMPLE TITLE` builds the example, runs it on one pinned core and keeps what
# it prints as validation/NAME-DATE-COMMIT.md, with date, commit and machine.
study() {
  local name=$1 example=$2 title=$3 commit out
  cargo build --release --quiet -p clausality --example "$example"
  commit=$(git rev-parse --short HEAD)
  out="validation/$name-$(date +%F)-$commit.md"
  {
    echo "# $title"
    echo
    echo "Date $(date +%F), commit $commit, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), one pinned core, load $(cut -d' ' -f1 /proc/loadavg) before."
    echo
    taskset -c 1 /usr/bin/env RAYON_NUM_THREADS=1 "${CARGO_TARGET_DIR:-target}/release/examples/$example"
  } | tee "$out.part"
  mv "$out.part" "$out"
}
