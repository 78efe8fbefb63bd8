"""Rows of alarm in growing number, learned under a limit of 1 GiB. See large.sh."""

import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = "1G"
#: Rows held: the same for every size, so that all but the smallest are counted from disk.
HELD = 100_000
POLARS = """
import sys, polars
polars.scan_csv(sys.argv[1], infer_schema=False).select(polars.all().null_count()).collect(engine="streaming")
"""


def run(words, at, out=None):
    """Wall and CPU seconds, and the peak of resident memory in MiB."""
    start = time.monotonic()
    with open(out or os.devnull, "wb") as to:
        process = subprocess.Popen([str(word) for word in words], cwd=at, stdout=to, stderr=subprocess.PIPE)
        said = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: {said}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def study(program, rows, at):
    """One size."""
    table = at / "rows.csv"
    sampled = run([program, "sample", "@alarm", "-n", rows, "--seed", 4, "-o", table, "--quiet"], at)
    row = dict(rows=rows, bytes=table.stat().st_size, sampled=sampled)
    # What both passes do once: reading all cells.
    row["read"] = run([program, "inspect", table, "--quiet", "--rows-held", HELD], at)
    row["learned"] = run(
        [program, "learn", table, "--quiet", "--json", "--run", at / "run", "--memory-limit", LIMIT, "--rows-held", HELD, "--fresh"], at
    )
    run([program, "compare", "@alarm", at / "run", "--json", "--quiet"], at, at / "compared.json")
    compared = json.loads((at / "compared.json").read_text())
    row["f1"], row["shd"] = compared["skeleton"]["f1"], compared["cpdag_shd"]
    row["polars"] = run([os.environ["POLARS"], "-c", POLARS, table], at) if "POLARS" in os.environ else None
    table.unlink()
    return row


def main():
    program, sizes = Path(sys.argv[1]).resolve(), [int(word) for word in sys.argv[2:]] or [10**5, 10**6, 10**7]
    print(f"# More rows than memory: alarm, {HELD:,} rows held, `--memory-limit {LIMIT}`\n")
    print(f"{time.strftime('%F')}, {platform.processor() or platform.machine()}, {os.cpu_count()} cores, others at work on them: CPU seconds count, wall seconds stand behind them.")
    print("Learning after coding is all of `learn` less twice `inspect`, which reads the table once.\n")
    print("| rows | GB | `sample` CPU s, MiB | reading once, CPU s (wall) | `learn` CPU s (wall) | of it after coding, CPU s | MiB | skeleton F1 | CPDAG-SHD | polars reads, CPU s (wall), MiB |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    found = []
    for rows in sizes:
        with tempfile.TemporaryDirectory(dir=os.environ.get("AT")) as folder:
            row = study(program, rows, Path(folder))
        found.append(row)
        read, learned, polars = row["read"], row["learned"], row["polars"]
        shown = f"{polars[1]:.1f} ({polars[0]:.0f}), {polars[2]:.0f}" if polars else ""
        print(
            f"| {rows:,} | {row['bytes'] / 1e9:.2f} | {row['sampled'][1]:.1f}, {row['sampled'][2]:.0f} | {read[1]:.1f} ({read[0]:.0f}) | {learned[1]:.1f} ({learned[0]:.0f}) "
            f"| {learned[1] - 2 * read[1]:.1f} | {learned[2]:.0f} | {row['f1']:.3f} | {row['shd']} | {shown} |",
            flush=True,
        )
    if len(found) > 1:
        first, last = found[0], found[-1]
        exponent = math.log(last["learned"][1] / first["learned"][1]) / math.log(last["rows"] / first["rows"])
        print(f"\nCPU seconds of `learn` grow with the rows to the power of {exponent:.2f}, from {first['rows']:,} to {last['rows']:,}.")


if __name__ == "__main__":
    main()
