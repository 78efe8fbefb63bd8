#!/usr/bin/env python3
"""Run polars' read_csv and `clausality inspect` on one table in turns; see read_csv.sh.

CPU seconds (user + system) of a whole child process each; of polars' process the time to start Python and import polars,
measured in a process of its own that does nothing else, is subtracted. Our time is that of the whole program: reading,
deciding, coding and printing. Medians over the rounds; wall-clock seconds stand beside them.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time

POLARS = "import sys, polars; frame = polars.read_csv(sys.argv[1]); assert frame.shape == (1_000_000, 20), frame.shape"
NOTHING = "import sys, polars"


def run(argv, core, env=None):
    """CPU seconds, wall seconds and peak memory in bytes of one child, pinned to a core."""
    start = time.perf_counter()
    child = subprocess.Popen(["taskset", "-c", str(core), *argv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env={**os.environ, **(env or {})})
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, argv
    return {"cpu": usage.ru_utime + usage.ru_stime, "wall": time.perf_counter() - start, "peak": usage.ru_maxrss * 1024}


def median(rows, key):
    return statistics.median(row[key] for row in rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--table", required=True)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--results")
    args = parser.parse_args()
    one = {"POLARS_MAX_THREADS": "1"}
    size = os.path.getsize(args.table)
    with open(args.table, "rb") as file:  # into the page cache
        while file.read(1 << 24):
            pass
    ours, polars, start = [], [], []
    for _ in range(args.rounds):
        ours.append(run([args.program, "inspect", args.table, "--threads", "1"], args.core))
        polars.append(run([sys.executable, "-c", POLARS, args.table], args.core, one))
        start.append(run([sys.executable, "-c", NOTHING], args.core, one))
    theirs = {key: median(polars, key) - median(start, key) for key in ("cpu", "wall")}
    mine = {key: median(ours, key) for key in ("cpu", "wall", "peak")}
    version = subprocess.run([sys.executable, "-c", "import polars; print(polars.__version__)"], capture_output=True,
                             text=True, check=True).stdout.strip()
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    print(f"table            {size / 1e6:.1f} MB, 1,000,000 x 20")
    print(f"polars {version:8}  {theirs['cpu']:.2f} s CPU  {theirs['wall']:.2f} s  (read_csv, one thread)")
    print(f"clausality       {mine['cpu']:.2f} s CPU  {mine['wall']:.2f} s  (inspect, one thread: read, decide, code, print)")
    print(f"time ratio       {mine['cpu'] / theirs['cpu']:.2f}  (at most 2)")
    print(f"peak memory      {mine['peak'] / 1e6:.1f} MB = {mine['peak'] / size:.2f} x the file  (at most 2)")
    if args.results:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
        raw = {"date": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "commit": commit, "machine": f"{cpu}, {os.cpu_count()} cores",
               "system": platform.platform(), "polars_version": version, "table_bytes": size, "ours": ours,
               "polars": polars, "polars_start": start, "ratio_cpu": mine["cpu"] / theirs["cpu"],
               "peak_over_file": mine["peak"] / size}
        with open(args.results, "w", encoding="utf-8") as file:
            json.dump(raw, file, indent=1)
            file.write("\n")
    return 0 if mine["cpu"] <= 2 * theirs["cpu"] and mine["peak"] <= 2 * size else 1


if __name__ == "__main__":
    sys.exit(main())
