"""Holds ways to cut numbers against each other: see cuts.sh.

Density: four fifths of a table's rows learn, one fifth is held out. A network of intervals is a density of the raw values once it is said
how a value lies in its interval; that is done in two ways, the same for all methods, on values clamped to the range of the learning rows:
`even` (every value of the interval alike: numbers by width, whole numbers by how many there are) and `shaped` (as the column
itself is shaped: a histogram of up to 100 quantiles of the learning rows, the same for all methods). A value that a quarter of the rows have is a
mass of its own: its share of its interval is counted in the learning rows.

Skeleton: random graphs whose nodes are linear or curved functions of their parents with noise (heavy: curved, and seen through an
exponential), sampled, cut and learned; the F1 of pairs that are adjacent.
"""

import argparse
import csv
import datetime
import json
import math
import platform
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pandas

OURS = {
    "quantile": ["--discretize", "quantile"],
    "width": ["--discretize", "width"],
    "mdl": ["--discretize", "mdl"],
    "quantile 3": ["--discretize", "quantile", "--bins", "3"],
    "quantile 6": ["--discretize", "quantile", "--bins", "6"],
    "quantile 8": ["--discretize", "quantile", "--bins", "8"],
}


def run(command, options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=options.limit)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-400:])
    return done.stdout


def tables(folder):
    """Tables by name: those of the folder, and some that come with scikit-learn and statsmodels."""
    import sklearn.datasets as sk
    import statsmodels.api as sm

    def read(file, without=()):
        frame = pandas.read_csv(folder / file, skipinitialspace=True)
        return frame.drop(columns=[name for name in without if name in frame])

    yield "wine", read("wine.csv")
    yield "bank churn", read("Customer-Churn-Records.csv", ["RowNumber", "CustomerId", "Surname"])
    yield "seattle weather", read("seattle-weather.csv", ["date"])
    yield "marks", read("bnlearn_marks.csv")
    yield "adult", read("adult.csv").select_dtypes("number").sample(12000, random_state=1)
    diabetes = sk.load_diabetes(as_frame=True, scaled=False).frame
    yield "diabetes", diabetes
    cancer = sk.load_breast_cancer(as_frame=True).frame
    yield "breast cancer", cancer.iloc[:, list(range(10)) + [30]]
    yield "fair", sm.datasets.fair.load_pandas().data
    yield "star98", sm.datasets.star98.load_pandas().data.iloc[:, :14]


class Column:
    """How a numeric column lies in its intervals."""

    def __init__(self, values, coded):
        rule = coded["rule"]["cuts"]
        self.at, self.below = rule["at"], rule["equal"] == "below"
        self.low, self.high = min(values), max(values)
        self.whole = all(value == round(value) for value in values)
        counts = pandas.Series(values).value_counts()
        self.spike = counts.index[0] if counts.iloc[0] * 4 >= len(values) else None
        rest = numpy.array([v for v in values if v != self.spike])
        self.edges = numpy.unique(numpy.quantile(rest, numpy.linspace(0, 1, min(101, max(3, len(rest) // 10)))))
        self.states = [self.state(v) for v in values]
        self.rows = [self.states.count(k) for k in range(len(self.at) + 1)]
        self.spiked = sum(1 for v in values if v == self.spike)
        self.values = values
        k = len(self.at) + 1
        self.width = [self.size(max(self.low, self.edge(i - 1)), min(self.high, self.edge(i)), i) for i in range(k)]
        histogram, _ = numpy.histogram(rest, self.edges)
        self.height = (histogram + 0.5) / (len(rest) + 0.5 * len(histogram)) / numpy.diff(self.edges)
        grid = [sorted({max(self.low, self.edge(i - 1)), min(self.high, self.edge(i)), *[e for e in self.edges if self.edge(i - 1) < e < self.edge(i)]}) for i in range(k)]
        self.mass = [sum((b - a) * self.shape((a + b) / 2) for a, b in zip(g, g[1:])) for g in grid]

    def edge(self, i):
        return -math.inf if i < 0 else math.inf if i >= len(self.at) else self.at[i]

    def state(self, value):
        return sum(value > c if self.below else value >= c for c in self.at)

    def size(self, low, high, i):
        if not self.whole:
            return max(high - low, 1e-9 * (self.high - self.low))
        whole = [v for v in range(math.ceil(low) - 1, math.floor(high) + 2) if self.low <= v <= self.high and self.state(v) == i and v != self.spike]
        return max(len(whole), 1)

    def shape(self, value):
        place = min(max(int(numpy.searchsorted(self.edges, value)) - 1, 0), len(self.height) - 1)
        return self.height[place]

    def inside(self, value):
        """The logarithm of the density within the interval: even, and shaped."""
        value = min(max(value, self.low), self.high)
        k, share = self.state(value), 0.0
        if self.spike is not None and self.state(self.spike) == k:
            share = (self.spiked + 0.5) / (self.rows[k] + 1)
            if value == self.spike:
                return math.log(share), math.log(share)
        if self.mass[k] <= 0:
            return math.log((1 - share) / self.width[k]), math.log((1 - share) / self.width[k])
        return math.log((1 - share) / self.width[k]), math.log(max(1 - share, 1e-12) * self.shape(value) / self.mass[k])


def density(name, frame, seed, method, options):
    """Mean log density of a held-out row, in nats: even, and shaped."""
    order = list(range(len(frame)))
    random.Random(f"{name}{seed}").shuffle(order)
    held = set(order[: len(frame) // 5])
    learning = frame.iloc[[k for k in range(len(frame)) if k not in held]].dropna()
    rows = frame.iloc[sorted(held)].dropna()
    for column in frame:
        if frame[column].dtype == object:
            rows = rows[rows[column].isin(set(learning[column]))]
    work = options.work / f"density-{method.replace(' ', '')}"
    work.mkdir(parents=True, exist_ok=True)
    # Whole numbers are kept, whatever they look like.
    keep = [f"--type={column}=keep" for column in frame]
    learning.to_csv(work / "learn.csv", index=False)
    rows.to_csv(work / "held.csv", index=False)
    start = time.time()
    run([options.program, "learn", work / "learn.csv", "-o", work / "net.json", "--quiet", *OURS[method], *keep], options)
    seconds = time.time() - start
    run([options.program, "score", work / "net.json", work / "held.csv", "-o", work / "surprise.csv", "--quiet"], options)
    with open(work / "surprise.csv") as file:
        lines = list(csv.DictReader(file))
    network = json.loads((work / "net.json").read_text())
    coded = {v["column"]: v for v in network["extra"]["coding"]["variables"]}
    columns = {c: Column([float(v) for v in learning[c]], coded[c]) for c in coded if "cuts" in coded[c]["rule"]}
    even, shaped = [], []
    for line, (_, row) in zip(lines, rows.iterrows()):
        inside = [column.inside(float(row[c])) for c, column in columns.items()]
        even.append(-float(line["surprise"]) + sum(a for a, _ in inside))
        shaped.append(-float(line["surprise"]) + sum(b for _, b in inside))
    states = statistics.mean(len(column.at) + 1 for column in columns.values())
    return {"even": statistics.mean(even), "shaped": statistics.mean(shaped), "states": states, "seconds": seconds, "rows": len(even)}


def network(kind, nodes, rows, seed):
    """A sample of a random graph of about 1.4 arcs a node, and its arcs."""
    draw = numpy.random.default_rng(seed)
    values, arcs = numpy.zeros((rows, nodes)), set()
    for child in range(nodes):
        some = min(child, int(draw.choice([0, 1, 2, 3], p=[0.15, 0.4, 0.3, 0.15])))
        parents = draw.choice(child, some, replace=False) if some else []
        total = numpy.zeros(rows)
        for parent in parents:
            arcs.add((int(parent), child))
            weight = draw.uniform(0.5, 1.2) * draw.choice([-1, 1])
            x = values[:, parent]
            x = (x - x.mean()) / x.std()
            shape = "linear" if kind == "linear" else str(draw.choice(["sine", "square", "step", "cube", "linear"]))
            total += weight * {"linear": x, "sine": numpy.sin(2 * x) * 1.4, "square": (x * x - 1) / 1.4, "step": numpy.tanh(4 * x), "cube": x**3 / 4}[shape]
        noise = draw.normal(size=rows)
        values[:, child] = total + noise
    names = [f"x{k:02d}" for k in range(nodes)]
    if kind == "heavy":
        # Curved, but seen as amounts: a long tail to the right.
        values = numpy.exp(1.5 * (values - values.mean(0)) / values.std(0))
    frame = pandas.DataFrame(values, columns=names)
    return frame, {(names[a], names[b]) for a, b in arcs}


def arcs_of(path):
    with open(path) as file:
        return {(line["parent"], line["child"]) for line in csv.DictReader(file)}


def f1(found, truth):
    found, truth = ({frozenset(arc) for arc in arcs} for arcs in (found, truth))
    return 2 * len(found & truth) / max(1, len(found) + len(truth))


def learn_ours(table, extra, options):
    out = table.with_suffix(".edges.csv")
    run([options.program, "learn", table, "-o", out, "--quiet", *extra], options)
    return arcs_of(out)


def skeleton(name, frame, truth, options):
    """The F1 of every method."""
    work = options.work / "skeleton"
    work.mkdir(parents=True, exist_ok=True)
    table = work / "t.csv"
    frame.round(5).to_csv(table, index=False)
    found = {}
    for method in options.methods:
        found[f"ours, {method}"] = f1(learn_ours(table, OURS[method], options), truth)
    if options.peers:
        import pyagrum
        from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor

        numbers = frame.round(5)
        for bins in (5, 10):
            template = DiscreteTypeProcessor(defaultDiscretizationMethod="quantile", defaultNumberOfBins=bins).discretizedTemplate(numbers)
            learner = pyagrum.BNLearner(numbers, template)
            learner.useScoreBIC()
            learner.useGreedyHillClimbing()
            called = lambda learner: {(learner.nameFromId(a), learner.nameFromId(b)) for a, b in learner.learnDAG().arcs()}
            found[f"pyAgrum's {bins} cuts, its greedy search"] = f1(called(learner), truth)
            learner = pyagrum.BNLearner(numbers, template)
            learner.useMIIC()
            found[f"pyAgrum's {bins} cuts, its MIIC"] = f1(called(learner), truth)
            if bins == 5:
                cut = pandas.DataFrame({c: ["s" + str(template.variable(c).index(str(v))) if not numbers[c].dtype == object else v for v in numbers[c]] for c in numbers})
                cut.to_csv(work / "cut.csv", index=False)
                kinds = [f"--type={c}=categorical" for c in cut]
                found["pyAgrum's 5 cuts, our learner"] = f1(learn_ours(work / "cut.csv", kinds, options), truth)
    return found


def networks(folder):
    for kind in ("linear", "curved", "heavy"):
        for nodes in (8, 16):
            for rows in (500, 2000):
                yield f"{kind}, {nodes} nodes, {rows} rows", lambda seed, k=kind, n=nodes, r=rows: network(k, n, r, seed)
    known = {
        "bnlearn gaussian.test": ("bnlearn_gaussian_test.csv", "A>C B>C B>D A>F D>F E>F G>F"),
        "bnlearn clgaussian.test": ("bnlearn_clgaussian_test.csv", "A>D H>D B>F C>F B>E D>E A>G D>G E>G F>G"),
    }
    for name, (file, arcs) in known.items():
        arcs = {tuple(arc.split(">")) for arc in arcs.split()}
        frame = pandas.read_csv(folder / file)
        yield name, lambda seed, f=frame, a=arcs: (f.sample(2000, random_state=seed), a)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--datasets", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--methods", default="quantile,width,mdl,quantile 6")
    parser.add_argument("--part", default="density,skeleton")
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--out")
    options = parser.parse_args()
    options.methods = options.methods.split(",")
    seeds = range(options.first, options.first + options.seeds)
    lines = []

    def say(line):
        lines.append(line)
        print(line, flush=True)

    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    say("# Ways to cut numbers\n")
    say(f"{datetime.date.today()}, commit {commit}, {platform.processor() or platform.machine()}, seeds {seeds.start} to {seeds.stop - 1}.\n")
    if "density" in options.part:
        say("Mean log density of a held-out row in nats (even within an interval | shaped as the column is), and the mean number of states.\n")
        say("| table | " + " | ".join(options.methods) + " |\n|---|" + "---|" * len(options.methods))
        for name, frame in tables(options.datasets):
            if options.only not in name:
                continue
            cells = []
            for method in options.methods:
                done = [density(name, frame, seed, method, options) for seed in seeds]
                mean = lambda key: statistics.mean(one[key] for one in done)
                cells.append(f"{mean('even'):.3f} \\| {mean('shaped'):.3f} ({mean('states'):.1f} states, {mean('seconds'):.1f} s)")
            say(f"| {name} | " + " | ".join(cells) + " |")
        say("")
    if "skeleton" in options.part:
        say("F1 of the skeleton, mean over the seeds.\n")
        head, sums = None, {}
        for name, make in networks(options.datasets):
            if options.only not in name:
                continue
            done = [skeleton(name, *make(seed), options) for seed in seeds]
            if head is None:
                head = list(done[0])
                say("| network | " + " | ".join(head) + " |\n|---|" + "---|" * len(head))
            means = [statistics.mean(one[method] for one in done) for method in head]
            for method, mean in zip(head, means):
                sums.setdefault(method, []).append(mean)
            say(f"| {name} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
        if head:
            say("| **mean** | " + " | ".join(f"**{statistics.mean(sums[method]):.3f}**" for method in head) + " |")
    if options.out:
        Path(options.out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
