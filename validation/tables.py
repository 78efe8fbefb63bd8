"""Holds our learner against its peers on real tables, and on tables without any structure: see tables.sh.

Every table is coded here, once for all learners: columns that name rows are left out, numbers with more than ten values
are cut into five parts of equal size, every other value is a category, an empty cell is one too. Four fifths of the rows
learn, one fifth is held out; a row with a value that no learning row has learns. A small table is split more often than
a large one, until 2,000 rows were held out in all: one split of it says more about the split than about the graphs. All graphs get their probabilities
from `clausality fit` and are held against the rows held out by `clausality score`, so only the graphs differ.

Without structure: every column of a coded table is shuffled by itself. An arc is then false.
"""

import argparse
import datetime
import itertools
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pandas

TABLES = {
    "adult": ("adult.csv", []),
    "bank churn": ("Customer-Churn-Records.csv", ["RowNumber", "CustomerId", "Surname"]),
    "mushroom": ("mushroom.csv", []),
    "titanic": ("titanic.csv", ["PassengerId", "Name", "Ticket", "name", "ticket", "home.dest", "boat", "body", "cabin", "Cabin"]),
    "wine": ("wine.csv", []),
}
OURS = {"clausality hybrid": [], "clausality tabu": ["--assembler", "tabu", "--score", "bic"]}
THEIRS = ["pyAgrum greedy", "pyAgrum tabu"]
HELD_OUT = 2000


def coded(path, ignored):
    frame = pandas.read_csv(path, skipinitialspace=True)
    frame = frame.drop(columns=[c for c in ignored if c in frame])
    for name in frame:
        column = frame[name]
        if pandas.api.types.is_numeric_dtype(column) and column.nunique() > 10:
            column = pandas.qcut(column, 5, labels=False, duplicates="drop")
        codes = column.astype("category").cat.codes
        frame[name] = ("s" + codes.astype(str)).where(codes >= 0, "none")
    return frame[[name for name in frame if 1 < frame[name].nunique() <= 50]]


def split(frame, seed):
    order = list(range(len(frame)))
    random.Random(seed).shuffle(order)
    held = sorted(order[: len(frame) // 5])
    learning = frame.drop(index=held)
    seen = {name: set(learning[name]) for name in frame}
    known = [row for row in held if all(frame.at[row, name] in seen[name] for name in frame)]
    return frame.drop(index=known), frame.loc[known]


def run(command, options):
    done = subprocess.run(["taskset", "-c", str(options.core), *map(str, command)], capture_output=True, text=True, timeout=options.limit)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-300:])
    return done.stdout


def learned(learner, table, graph, options):
    """Learns a graph; ours in seconds from start to end, theirs in CPU seconds of learning alone."""
    start = time.time()
    if learner in OURS:
        categories = [f"--type={name}=categorical" for name in pandas.read_csv(table, nrows=1)]
        run([options.program, "learn", table, "-o", graph, "--threads", 1, "--quiet", *OURS[learner], *categories], options)
        return time.time() - start
    code = str(Path(__file__).with_name("learners.py"))
    return json.loads(run([sys.executable, code, "--child", learner, table, graph], options).strip().splitlines()[-1])["seconds"]


def real(name, frame, seed, options):
    train, test = options.work / "train.csv", options.work / "test.csv"
    learning, held = split(frame, seed)
    learning.to_csv(train, index=False)
    held.to_csv(test, index=False)
    for learner in [*OURS, *THEIRS]:
        result = {"table": name, "rows": len(frame), "columns": frame.shape[1], "seed": seed, "learner": learner}
        graph, model = options.work / "graph.dot", options.work / "model.bif"
        try:
            result["seconds"] = learned(learner, train, graph, options)
            categories = [f"--type={column}=categorical" for column in frame]
            run([options.program, "fit", graph, train, "-o", model, "--quiet", *categories], options)
            figures = json.loads(run([options.program, "score", model, test, "--json", "--quiet"], options))
            result |= {"arcs": graph.read_text().count("->"), "held_out": figures["log_likelihood"] / len(held)}
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            result["failed"] = str(error)[-300:]
        yield result


def shuffled(name, frame, seed, options):
    table, graph = options.work / "noise.csv", options.work / "noise.dot"
    noise = frame.copy()
    for column in noise:
        values = list(noise[column])
        random.Random(f"{seed} {column}").shuffle(values)
        noise[column] = values
    noise.to_csv(table, index=False)
    pairs = len(list(itertools.combinations(noise.columns, 2)))
    for learner in OURS:
        seconds = learned(learner, table, graph, options)
        arcs = graph.read_text().count("->")
        yield {"table": name, "rows": len(noise), "pairs": pairs, "seed": seed, "learner": learner, "seconds": seconds, "false_arcs": arcs}


def mean(values):
    values = list(values)
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return statistics.mean(values), spread


def held_out_table(results):
    learners = [*OURS, *THEIRS]
    lines = ["| table | " + " | ".join(learners) + " |", "|---|" + "---|" * len(learners)]
    for name in dict.fromkeys(r["table"] for r in results):
        splits = len({r["seed"] for r in results if r["table"] == name})
        cells = []
        for learner in learners:
            own = [r for r in results if (r["table"], r["learner"]) == (name, learner) and "failed" not in r]
            if not own:
                cells.append("failed")
                continue
            (score, spread), (seconds, _) = mean(r["held_out"] for r in own), mean(r["seconds"] for r in own)
            cells.append(f"{score:.3f} ± {spread:.3f} / {mean(r['arcs'] for r in own)[0]:.0f} / {seconds:.1f}")
        lines.append(f"| {name}, {splits} splits | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def paired_table(results):
    others = [learner for learner in [*OURS, *THEIRS] if learner != "clausality hybrid"]
    lines = ["| clausality hybrid less | " + " | ".join(others) + " |", "|---|" + "---|" * len(others)]
    for name in dict.fromkeys(r["table"] for r in results):
        held_out = {(r["learner"], r["seed"]): r["held_out"] for r in results if r["table"] == name and "failed" not in r}
        cells = []
        for other in others:
            seeds = [seed for learner, seed in held_out if learner == other and ("clausality hybrid", seed) in held_out]
            middle, spread = mean(held_out["clausality hybrid", seed] - held_out[other, seed] for seed in seeds) if seeds else (float("nan"), 0.0)
            cells.append(f"{middle:+.3f} ± {spread / max(len(seeds), 1) ** 0.5:.3f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def noise_table(results):
    lines = ["| table, columns shuffled | learner | false arcs | per 100 pairs |", "|---|---|---|---|"]
    for name, learner in dict.fromkeys((r["table"], r["learner"]) for r in results):
        own = [r for r in results if (r["table"], r["learner"]) == (name, learner)]
        arcs, pairs = sum(r["false_arcs"] for r in own), sum(r["pairs"] for r in own)
        lines.append(f"| {name} | {learner} | {arcs} of {pairs} pairs | {100 * arcs / pairs:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--datasets", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--limit", type=float, default=300)
    options = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    stem = Path("validation") / f"tables-{datetime.date.today()}-{commit}"
    held_out, noise = [], []
    with open(f"{stem}.jsonl", "w") as raw:
        for name, (file, ignored) in TABLES.items():
            frame = coded(options.datasets / file, ignored)
            splits = max(options.seeds, math.ceil(HELD_OUT / (len(frame) // 5)))
            for seed in range(1, splits + 1):
                studies = [(real, held_out)] + ([(shuffled, noise)] if name in ("adult", "bank churn") else [])
                for study, kept in studies:
                    for result in study(name, frame, seed, options):
                        kept.append(result)
                        print(json.dumps(result), file=raw, flush=True)
                        print(json.dumps(result), file=sys.stderr, flush=True)
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.processor())
    text = f"""# Real tables

Date {datetime.date.today()}, commit {commit}, {model}, one pinned core; {options.seeds} splits at least.
Log-likelihood in nats per row held out (mean ± standard deviation; higher is better) / arcs / seconds.

{held_out_table(held_out)}

The same rows, split by split: how far our graphs are above (mean ± its standard error).

{paired_table(held_out)}

Tables without structure: the same columns, each shuffled by itself, {options.seeds} times.

{noise_table(noise)}
"""
    Path(f"{stem}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
