"""How learning grows: see run.sh.

Rows: samples of alarm (37 columns) from a thousand to a million rows. Columns: sparse networks of ten to a thousand nodes, 5,000 rows.
The time is the CPU seconds of the whole command, reading the CSV included, and of `strengths` alone; memory is the most that
was resident. The peer is pyAgrum's greedy hill climbing, from a table that is read already. An exponent is the slope of
the least-squares line through the logarithms, over all sizes and over the last three.
"""

import argparse
import datetime
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

VALIDATION = Path(__file__).resolve().parents[2] / "validation"
sys.path.insert(0, str(VALIDATION))

import plot
import synthetic

ROWS = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
COLUMNS = [10, 30, 100, 300, 1_000]


def run(command, options, limit=None):
    """CPU seconds and mebibytes of a pinned command, and what it printed; nothing if it needs too long."""
    with tempfile.TemporaryFile() as out:
        pinned = ["taskset", "-c", str(options.core), "timeout", str(limit or options.limit), *map(str, command)]
        child = subprocess.Popen(pinned, stdout=out, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        printed = out.read().decode()
    if child.returncode:
        return None
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, printed


def measured(size, truth, table, rows, options):
    result = {"size": size}
    subprocess.run([options.program, "sample", truth, "-n", str(rows), "-o", table, "--quiet"], check=True)
    common = [table, "--threads", 1, "--quiet"]
    graph = options.work / "scaling.dot"
    if done := run([options.program, "learn", *common, "-o", graph], options):
        result["learn"], result["mebibytes"], _ = done
        compared = subprocess.run([options.program, "compare", truth, graph, "--json"], capture_output=True, text=True, check=True)
        result["skeleton"] = json.loads(compared.stdout)["skeleton"]["f1"]
    if done := run([options.program, "strengths", *common], options):
        result["strengths"] = done[0]
    if done := run([sys.executable, VALIDATION / "learners.py", "--child", "pyAgrum greedy", table, graph], options, options.peer_limit):
        result["peer"] = json.loads(done[2].strip().splitlines()[-1])["seconds"]
    table.unlink()
    return result


def slope(points):
    """The exponent of a power law through the points."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def lines_of(results):
    """The measured lines by name: what is plotted and fitted."""
    names = {"learn": "clausality learn", "strengths": "of it strengths", "peer": "pyAgrum greedy"}
    return {names[key]: [(r["size"], r[key]) for r in results if key in r] for key in names}


def table_of(results, what):
    lines = [f"| {what} | learn, CPU s | of it strengths | MiB | skeleton F1 | pyAgrum greedy, CPU s |", "|---|---|---|---|---|---|"]
    for r in results:
        figure = lambda key, form: format(r[key], form) if key in r else "over the limit"
        lines.append(f"| {r['size']:,} | {figure('learn', '.2f')} | {figure('strengths', '.2f')} | {figure('mebibytes', '.0f')} | "
                     f"{figure('skeleton', '.3f')} | {figure('peer', '.2f')} |")
    exponents = [f"{name} {slope(points):.2f} (last three {slope(points[-3:]):.2f})" for name, points in lines_of(results).items() if len(points) > 2]
    return "\n".join(lines) + f"\n\nExponents: {'; '.join(exponents)}."


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--limit", type=float, default=900, help="seconds for each of our commands")
    parser.add_argument("--peer-limit", type=float, default=900, help="seconds for the peer")
    parser.add_argument("--quick", action="store_true", help="leave out the largest sizes, and draw nothing")
    options = parser.parse_args()
    rows, columns = (ROWS[:3], COLUMNS[:3]) if options.quick else (ROWS, COLUMNS)
    by_rows, by_columns = [], []
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    stem = Path("benches/results") / f"scaling-{datetime.date.today()}-{commit}"
    table = options.work / "scaling.csv"
    with open(f"{stem}.jsonl", "w") as raw:
        for size in rows:
            by_rows.append(measured(size, "@alarm", table, size, options))
            print(json.dumps({"by": "rows", **by_rows[-1]}), file=raw, flush=True)
        for size in columns:
            truth = options.work / "scaling.bif"
            truth.write_text(synthetic.bif(f"sparse-{size}", 1))
            by_columns.append(measured(size, truth, table, 5_000, options))
            print(json.dumps({"by": "columns", **by_columns[-1]}), file=raw, flush=True)
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.processor())
    text = f"""# How learning grows

Date {datetime.date.today()}, commit {commit}, {model}, one pinned core, load {os.getloadavg()[0]:.1f} at the end.

Samples of alarm, 37 columns:

{table_of(by_rows, "rows")}

Sparse networks, 5,000 rows:

{table_of(by_columns, "columns")}
"""
    Path(f"{stem}.md").write_text(text)
    print(text)
    if not options.quick:
        panels = [("rows (alarm, 37 columns)", lines_of(by_rows)), ("columns (5,000 rows)", lines_of(by_columns))]
        Path("docs/performance.svg").write_text(plot.log_log(panels, "CPU seconds"))


if __name__ == "__main__":
    main()
