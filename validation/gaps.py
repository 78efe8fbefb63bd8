"""Learning from tables with gaps, ours beside the usual ways out.

    python3 validation/gaps.py PROGRAM [--networks asia,child] [--seeds 3] [--rows 5000] [-o FILE.jsonl]

Samples of embedded networks lose cells in three ways, a tenth and three tenths of them:
  mcar   any cell, by chance
  mar    every other column; how often hangs on the value of a column that has no gaps
  value  every other column; how often hangs on the value that is lost
Learners: ours (pairs, em, state), complete cases (drop), structural EM as bnlearn does it (hill climbing with BIC from an empty graph, gaps
filled by the most probable state, five rounds; made of this program's own hc, fit and impute), pyAgrum's greedy search on the complete
rows. Figures: CPDAG-SHD, skeleton F1, CPU seconds; a mean over the seeds with its spread. `full` is ours on the table before it lost cells.
"""

import argparse
import csv
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "failed")
    return done.stdout, seconds


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def holes(header, rows, how, share, seed):
    """The table with cells lost."""
    draw = random.Random(f"{how} {share} {seed}")
    rows = [list(row) for row in rows]
    columns = sorted(header)
    if how == "mcar":
        for row in rows:
            for i in range(len(row)):
                if draw.random() < share:
                    row[i] = ""
        return rows
    order = columns[:]
    draw.shuffle(order)
    kept, lossy = order[: len(order) // 2], order[len(order) // 2 :]
    for number, name in enumerate(lossy):
        at = header.index(name)
        by = at if how == "value" else header.index(kept[number % len(kept)])
        values = [row[by] for row in rows]
        states = sorted(set(values), key=lambda s: (-values.count(s), s))
        # Half of the states lose cells three times as often as the others.
        often = set(states[::2])
        mass = sum(v in often for v in values) / len(values)
        low = share / (1 + 2 * mass)
        for row, value in zip(rows, values):
            if draw.random() < min(0.95, 3 * low if value in often else low):
                row[at] = ""
    return rows


def learn(program, table, out, *options):
    _, seconds = run(program, "learn", table, "-o", out, "--quiet", "--threads", 1, "--max-categories", 100, *options)
    return seconds


def structural_em(program, header, rows, folder):
    """bnlearn's structural.em: impute, climb, fit, until the graph stands still."""
    total, table, net = 0.0, folder / "sem.csv", folder / "sem.json"
    # The first filling: every column's most frequent state.
    filled = [list(row) for row in rows]
    for i in range(len(header)):
        known = [row[i] for row in rows if row[i] != ""]
        mode = max(sorted(set(known)), key=known.count)
        for row in filled:
            row[i] = row[i] or mode
    write(table, header, filled)
    gappy = folder / "gappy.csv"
    before = None
    for _ in range(5):
        total += learn(program, table, net, "--assembler", "hc", "--score", "bic", "--rounds", 1, "--clauses", 10, "--epochs", 1)
        arcs = sorted((p, c["name"]) for c in json.loads(net.read_text())["nodes"] for p in c["parents"])
        if arcs == before:
            break
        before = arcs
        total += run(program, "impute", net, gappy, "-o", table, "--quiet")[1]
    return net, total


def pyagrum_complete(header, rows, folder):
    import time

    import pyagrum

    whole = [row for row in rows if all(row)]
    if len(whole) < 20:
        raise RuntimeError(f"{len(whole)} complete rows")
    table = folder / "whole.csv"
    write(table, header, whole)
    start = time.process_time()
    learner = pyagrum.BNLearner(str(table))
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    graph = learner.learnDAG()
    seconds = time.process_time() - start
    out = folder / "pyagrum.csv"
    with open(out, "w") as file:
        file.write("parent,child\n")
        for a, b in graph.arcs():
            file.write(f"{learner.nameFromId(a)},{learner.nameFromId(b)}\n")
    return out, seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--networks", default="asia,child,alarm,insurance")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--methods", default="pairs,em,state,drop,sem,pyagrum")
    parser.add_argument("--hows", default="mcar,mar,value")
    parser.add_argument("--shares", default="0.1,0.3")
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    results = []
    for network in args.networks.split(","):
        for seed in range(1, args.seeds + 1):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                full = folder / "full.csv"
                run(args.program, "sample", f"@{network}", "-n", args.rows, "--seed", seed, "-o", full, "--quiet")
                header, rows = read(full)

                def figures(how, share, method, found, seconds):
                    out, _ = run(args.program, "compare", f"@{network}", found, "--json")
                    told = json.loads(out)
                    result = dict(network=network, seed=seed, how=how, share=share, method=method, seconds=seconds,
                                  cpdag_shd=told["cpdag_shd"], f1=told["skeleton"]["f1"])
                    results.append(result)
                    print(json.dumps(result), flush=True)

                found = folder / "found.json"
                figures("none", 0, "full", found, learn(args.program, full, found))
                for how in args.hows.split(","):
                    for share in map(float, args.shares.split(",")):
                        gappy = folder / "gappy.csv"
                        lossy = holes(header, rows, how, share, seed)
                        write(gappy, header, lossy)
                        for method in args.methods.split(","):
                            try:
                                if method == "sem":
                                    figures(how, share, method, *structural_em(args.program, header, lossy, folder))
                                elif method == "pyagrum":
                                    figures(how, share, method, *pyagrum_complete(header, lossy, folder))
                                else:
                                    seconds = learn(args.program, gappy, found, "--missing", method)
                                    figures(how, share, method, found, seconds)
                            except RuntimeError as problem:
                                print(f"{network} {seed} {how} {share} {method}: {problem}", file=sys.stderr)
    if args.output:
        Path(args.output).write_text("".join(json.dumps(r) + "\n" for r in results))
    print("\n| network | gaps | " + " | ".join(["full"] + args.methods.split(",")) + " |")
    print("|---|---|" + "---|" * (1 + len(args.methods.split(","))))
    for network in args.networks.split(","):
        for how in args.hows.split(","):
            for share in map(float, args.shares.split(",")):
                cells = []
                for method in ["full"] + args.methods.split(","):
                    at = ("none", 0) if method == "full" else (how, share)
                    own = [r for r in results if (r["network"], r["method"], r["how"], r["share"]) == (network, method, *at)]
                    if not own:
                        cells.append("–")
                        continue
                    shd = [r["cpdag_shd"] for r in own]
                    spread = statistics.stdev(shd) if len(shd) > 1 else 0
                    cells.append(f"{statistics.mean(shd):.1f} ± {spread:.1f} ({statistics.mean(r['seconds'] for r in own):.1f} s)")
                print(f"| {network} | {how} {share:.0%} | " + " | ".join(cells) + " |")


main()
