"""Hides cells of tables and asks who finds them again: see imputation.sh.

Tables: 5,000 rows drawn from asia, child, alarm and insurance; adult and mushroom (5,000 rows of each, drawn), titanic and wine. Every table is
coded once for all: numbers with more than ten values are cut into five parts of equal size, every other value is a category, an
empty cell is one too.

    mcar  every cell is hidden with probability p
    mar   a third of the columns, drawn, stay whole; a cell of another column is hidden with probability 1.6 p or 0.4 p by whether a column of
          that third, drawn for it, is in the upper half of its codes; cells of every other column with p in the mean

Ours learns from the table with its gaps (`learn`, `--missing` as given) and fills them (`impute`); the probabilities behind the log score are those of
`predict`. A column that is constant once its cells are hidden is no node; it is filled with what is left of it. IterativeImputer works on the
codes, rounded (`iterative`); on one column for each state it would stay at its first guess, as the states of a column predict each other. `forest` is missForest's loop: columns from few to many gaps, each predicted by a forest from the others
as they were last filled, three rounds; its probabilities are mixed with 1 % of even ones, as forests say 0. `mode` is the
column's most frequent state.
"""

import argparse
import datetime
import io
import json
import math
import os
import platform
import random
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy
import pandas
from sklearn.ensemble import RandomForestClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer

SAMPLED = ["asia", "child", "alarm", "insurance"]
REAL = {
    "adult": ("adult.csv", []),
    "mushroom": ("mushroom.csv", []),
    "titanic": ("titanic.csv", ["name", "ticket", "home.dest", "boat", "body", "cabin"]),
    "wine": ("wine.csv", []),
}
ROWS = 5000
METHODS = ["clausality", "forest", "iterative", "mode"]
TREES, ROUNDS = 25, 3


def run(options, *words):
    done = subprocess.run(["taskset", "-c", str(options.core), options.program, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stderr.strip()[-300:]}")
    return done.stdout


def table(name, seed, options):
    if name in SAMPLED:
        text = run(options, "sample", f"@{name}", "-n", ROWS, "--seed", seed)
        frame = pandas.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    else:
        file, ignored = REAL[name]
        frame = pandas.read_csv(options.datasets / file, skipinitialspace=True)
        frame = frame.drop(columns=[c for c in ignored if c in frame])
        frame = frame.sample(min(ROWS, len(frame)), random_state=seed).reset_index(drop=True)
    for column in frame:
        values = frame[column]
        if pandas.api.types.is_numeric_dtype(values) and values.nunique() > 10:
            values = pandas.qcut(values, 5, labels=False, duplicates="drop")
        codes = values.astype("category").cat.codes
        frame[column] = codes.where(codes >= 0, codes.max() + 1)
    return frame[[column for column in frame if 1 < frame[column].nunique() <= 50]]


def hidden(frame, how, share, seed):
    """Which cells are hidden."""
    draw = numpy.random.default_rng(seed)
    dice = draw.random(frame.shape)
    if how == "mcar":
        return dice < share
    order = draw.permutation(frame.shape[1])
    whole, rest = order[: max(1, frame.shape[1] // 3)], order[max(1, frame.shape[1] // 3) :]
    chance = numpy.zeros(frame.shape)
    for column in rest:
        driver = frame.iloc[:, draw.choice(whole)].to_numpy()
        upper = driver > numpy.median(driver) if (driver > numpy.median(driver)).any() else driver == driver.max()
        weight = numpy.where(upper, 1.6, 0.4)
        chance[:, column] = share * weight / weight.mean()
    return dice < chance


def clausality(frame, gaps, options):
    work = options.work
    shown = frame.map(lambda code: f"s{code}").mask(gaps, "")
    shown.to_csv(work / "gappy.csv", index=False)
    categories = [f"--type={name}=categorical" for name in frame]
    start = time.time()
    run(options, "learn", work / "gappy.csv", "-o", work / "net.json", "--threads", 1, "--quiet", "--missing", options.missing, *categories)
    learned = time.time()
    run(options, "impute", work / "net.json", work / "gappy.csv", "-o", work / "filled.csv", "--threads", 1, "--quiet")
    seconds = (learned - start, time.time() - learned)
    filled = pandas.read_csv(work / "filled.csv", dtype=str, keep_default_na=False)
    found = filled.map(lambda state: int(state[1:]) if state.startswith("s") else -1).to_numpy()
    guess = mode(frame, gaps, options)[0]
    found = numpy.where(found < 0, guess, found)
    nodes = {node["name"] for node in json.loads((work / "net.json").read_text())["nodes"]}
    losses = []
    for place, column in enumerate(frame):
        rows = numpy.flatnonzero(gaps[:, place])
        if column not in nodes:
            losses += [-math.log(1 if frame.iat[row, place] == guess[row, place] else 1e-6) for row in rows]
        if len(rows) == 0 or column not in nodes:
            continue
        told = run(options, "predict", work / "net.json", work / "gappy.csv", "--target", column, "--threads", 1, "--quiet")
        told = pandas.read_csv(io.StringIO(told), keep_default_na=False)
        for row in rows:
            key = f"P(s{frame.iat[row, place]})"
            value = told.at[row, key] if key in told else 0.0
            losses.append(-math.log(max(float(value or 0), 1e-6)))
    return found, losses, seconds


def mode(frame, gaps, options):
    codes, found, losses = frame.to_numpy(), frame.to_numpy().copy(), []
    for place in range(codes.shape[1]):
        known = numpy.bincount(codes[~gaps[:, place], place], minlength=codes[:, place].max() + 1) + 1e-2
        found[gaps[:, place], place] = known.argmax()
        losses += list(-numpy.log(known[codes[gaps[:, place], place]] / known.sum()))
    return found, losses, (0.0, 0.0)


def iterative(frame, gaps, options):
    start = time.time()
    codes = frame.to_numpy().astype(float)
    codes[gaps] = numpy.nan
    top = numpy.nanmax(codes, axis=0)
    filled = IterativeImputer(random_state=0, max_iter=10, keep_empty_features=True).fit_transform(codes)
    return numpy.clip(numpy.rint(filled), 0, top).astype(int), None, (0.0, time.time() - start)


def forest(frame, gaps, options):
    start = time.time()
    codes = frame.to_numpy()
    found = mode(frame, gaps, options)[0]
    chances = {}
    for _ in range(ROUNDS):
        for place in sorted(range(codes.shape[1]), key=lambda place: gaps[:, place].sum()):
            gone = gaps[:, place]
            if not gone.any() or gone.all():
                continue
            others = numpy.delete(found, place, axis=1)
            trees = RandomForestClassifier(TREES, random_state=0, n_jobs=1).fit(others[~gone], codes[~gone, place])
            chance = trees.predict_proba(others[gone])
            found[gone, place] = trees.classes_[chance.argmax(axis=1)]
            chances[place] = (trees.classes_, chance)
    losses = []
    for place, (classes, chance) in chances.items():
        column = {code: k for k, code in enumerate(classes)}
        for row, truth in enumerate(codes[gaps[:, place], place]):
            p = chance[row, column[truth]] if truth in column else 0.0
            losses.append(-math.log(0.99 * p + 0.01 / len(classes)))
    return found, losses, (0.0, time.time() - start)


FILL = {"clausality": clausality, "forest": forest, "iterative": iterative, "mode": mode}


def case(name, how, share, seed, options):
    frame = table(name, seed, options)
    gaps = hidden(frame, how, share, random.Random(f"{name} {how} {share} {seed}").getrandbits(32))
    codes = frame.to_numpy()
    for method in options.methods:
        result = {"table": name, "how": how, "share": share, "seed": seed, "method": method, "hidden": int(gaps.sum())}
        try:
            found, losses, (learning, filling) = FILL[method](frame, gaps, options)
            result["accuracy"] = float((found[gaps] == codes[gaps]).mean())
            result["log_loss"] = float(numpy.mean(losses)) if losses is not None else None
            result["seconds"] = round(learning + filling, 2)
            result["filling"] = round(filling, 2)
        except Exception as error:  # a peer that fails is a result
            result["failed"] = str(error)[-200:]
        yield result


def shown(results, key, format):
    methods = list(dict.fromkeys(r["method"] for r in results))
    lines = ["| table, hidden | " + " | ".join(methods) + " |", "|---|" + "---|" * len(methods)]
    cases = list(dict.fromkeys((r["table"], r["how"], r["share"]) for r in results))
    columns = {method: [] for method in methods}
    for name, how, share in cases:
        cells = []
        for method in methods:
            own = [r[key] for r in results if (r["table"], r["how"], r["share"], r["method"]) == (name, how, share, method) and r.get(key) is not None]
            cells.append(format(sum(own) / len(own)) if own else "–")
            columns[method].append(sum(own) / len(own) if own else math.nan)
        lines.append(f"| {name}, {how} {share:.0%} | " + " | ".join(cells) + " |")
    lines.append("| mean | " + " | ".join("–" if math.isnan(numpy.mean(c)) else format(numpy.mean(c)) for c in columns.values()) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--datasets", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--missing", default="em")
    parser.add_argument("--tables", type=lambda text: text.split(","), default=[*SAMPLED, *REAL])
    parser.add_argument("--methods", type=lambda text: text.split(","), default=METHODS)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    os.sched_setaffinity(0, {options.core})
    warnings.filterwarnings("ignore")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    stem = Path("validation") / f"imputation-{datetime.date.today()}-{commit}"
    results = []
    with open(f"{stem}.jsonl", "w") as raw:
        for name in options.tables:
            for how in ("mcar", "mar"):
                for share in (0.1, 0.3):
                    for seed in range(1, options.seeds + 1):
                        for result in case(name, how, share, seed, options):
                            results.append(result)
                            print(json.dumps(result), file=raw, flush=True)
                            print(json.dumps(result), file=sys.stderr, flush=True)
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.processor())
    text = f"""# Hidden cells found again

Date {datetime.date.today()}, commit {commit}, {model}, one pinned core; {options.seeds} sample(s) of each; `--missing {options.missing}`; forests of {TREES} trees, {ROUNDS} rounds.
`validation/imputation.py` says how cells were hidden and by whom they were filled.

Share of hidden cells that were found again (higher is better):

{shown(results, "accuracy", lambda x: f"{x:.3f}")}

Log score, nats a hidden cell (lower is better), where a method gives probabilities:

{shown(results, "log_loss", lambda x: f"{x:.3f}")}

Seconds, learning included:

{shown(results, "seconds", lambda x: f"{x:.1f}")}
"""
    Path(f"{stem}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
