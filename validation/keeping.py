"""What keeping finished pieces costs, as a share of the CPU time of whole runs: samples of stacks, so that other work on the machine does not matter. See keeping.sh."""

import collections
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

#: A case: its network, what is asked beside the table, and how many runs are looked at.
CASES = [
    ("insurance", [], 8),
    ("insurance", ["--profile", "paper"], 1),
    ("insurance", ["--bootstrap", "10"], 2),
    ("alarm", [], 6),
    ("hepar2", [], 3),
]
#: What is done only because pieces are kept: naming, finding, writing and syncing them.
KEEPING = re.compile(r"folder::kept::(Kept::(keep|find|table|digest)|Writer|Scraps)\b|folder::seal::digest|Fingerprint")
#: A piece that was written where it was made.
WRITTEN = re.compile(r"folder::kept::Kept::piece.*serde_json|serde_json.*folder::kept::Kept::piece", re.S)
#: Digests of the files of a run folder are there whatever is kept.
FOLDER = re.compile(r"tell::(files|save)|NewFolder")


def samples(at):
    """All samples of a profile, and those of keeping."""
    told = subprocess.run(["perf", "script", "-i", at, "--no-inline", "-F", "comm,ip,sym"], capture_output=True, text=True, errors="replace").stdout
    found = collections.Counter()
    for stack in filter(str.strip, told.split("\n\n")):
        found["all"] += 1
        own = stack.split()[0] == "scraps" or KEEPING.search(stack) or WRITTEN.search(stack)
        found["keeping"] += bool(own and not FOLDER.search(stack))
    return found


def main():
    program = str(Path(sys.argv[1]).resolve())
    git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    print("# What keeping what is finished costs\n")
    print(f"{time.strftime('%F')}, commit {git.stdout.strip()}, {platform.machine()}, {os.cpu_count()} cores; load average before {os.getloadavg()[0]:.1f}.\n")
    print("`learn --run` of 5,000 rows under `perf record -e cpu-clock`, 999 samples a CPU second: how many have a function on their stack that is there for keeping,")
    print("or are of the thread that asks the disk. What it costs to write the run folder in the end is not among them. ± is the error of counting.\n")
    print("| network | options | runs | samples | of keeping | share of the CPU time |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as at:
        for network, options, runs in CASES:
            table, found = f"{at}/{network}.csv", collections.Counter()
            subprocess.run([program, "sample", f"@{network}", "-n", "5000", "-o", table, "--quiet"], check=True)
            for _ in range(runs):
                record = ["perf", "record", "-o", f"{at}/perf.data", "-e", "cpu-clock", "-F", "999", "--call-graph", "dwarf,8192"]
                learn = [program, "learn", table, "--run", f"{at}/run", "--quiet", "--fresh", *options]
                subprocess.run([*record, "--", *learn], check=True, capture_output=True)
                found += samples(f"{at}/perf.data")
            if found["keeping"] == 0:
                sys.exit("no sample is of keeping: the names of its functions have changed, or the program has none")
            share, error = 100 * found["keeping"] / found["all"], 100 * found["keeping"] ** 0.5 / found["all"]
            print(f"| {network} | {' '.join(options)} | {runs} | {found['all']:,} | {found['keeping']} | {share:.2f} % ± {error:.2f} |", flush=True)
    print(f"\nLoad average after: {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
