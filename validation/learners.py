"""Holds our learner against its peers: see learners.sh.

One process a run, pinned to one core. The time is the CPU seconds of learning: ours includes starting, reading the CSV and
fitting the probabilities, theirs begin once the table is read. What the whole command of each takes, with the start of Python and the reading, stands
in a table of its own. A peer that needs longer than the limit has no figure.
Graphs are compared by `clausality compare`, which agrees with an independent scorer (crates/clausality-bn/src/compare).
Networks that are made up (synthetic.py) are others for every seed; there the BDeu score of a graph is held against the truth's.
"""

import argparse
import datetime
import itertools
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import synthetic

# What took so long in all is not run again.
PATIENCE = 20
SMALL = {"asia", "cancer", "earthquake", "survey", "sachs", "child"}

# Measured in November 2026 with R and Java, on the samples that an independent sampler draws with seeds 1 to 3 (see --sampler).
ELSEWHERE = {
    "asia": "bnlearn tabu .98 / .3; Tetrad BOSS .98 / .3 / .83 s",
    "child": "bnlearn tabu .96 / 4.0; Tetrad BOSS 1.0 / 0 / 5.6 s",
    "insurance": "bnlearn hc+restarts .89 / 17.7; Tetrad GRaSP BDeu .91 / 13.7 / 5.7 s; BOSS .84 / 23.7 / 14.9 s",
    "alarm": "bnlearn tabu .87 / 28; Tetrad GRaSP BDeu .95 / 5.0 / 8.0 s; BOSS .92 / 12.3 / 27.7 s",
    "hepar2": "bnlearn tabu .75 / 78.7; Tetrad GRaSP .76 / 65 / 10.5 s; BOSS .75 / 84 / 6.3 s",
}


def pyagrum_learner(table, kind):
    import pyagrum

    learner = pyagrum.BNLearner(str(table))
    learner.useScoreBIC()
    if kind == "greedy":
        learner.useGreedyHillClimbing()
    elif kind == "tabu":
        learner.useLocalSearchWithTabuList()
    else:
        learner.useMIIC()
    start = time.process_time()
    graph = learner.learnDAG()  # probabilities without a prior fail on rows that never occur
    seconds = time.process_time() - start
    arcs = [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in graph.arcs()]
    return list(learner.names()), arcs, seconds


def pgmpy_learner(table, _kind):
    import pandas
    from pgmpy.estimators import HillClimbSearch

    frame = pandas.read_csv(table, dtype=str, keep_default_na=False).astype("category")
    start = time.process_time()
    graph = HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False)
    return list(frame.columns), list(graph.edges()), time.process_time() - start


def ges_learner(table, _kind):
    import pandas
    from causallearn.search.ScoreBased.GES import ges
    from causallearn.utils.PDAG2DAG import pdag2dag

    frame = pandas.read_csv(table, dtype=str, keep_default_na=False)
    codes = frame.apply(lambda column: column.astype("category").cat.codes).to_numpy()
    names = list(frame.columns)
    start = time.process_time()
    found = ges(codes, score_func="local_score_BDeu", node_names=names)["G"]
    seconds = time.process_time() - start
    matrix = pdag2dag(found).graph
    count = len(names)
    arcs = [(names[a], names[b]) for a in range(count) for b in range(count) if matrix[a][b] == -1 and matrix[b][a] == 1]
    return names, arcs, seconds


OURS = {
    "clausality hybrid": ["--profile", "hybrid"],
    "clausality paper": ["--profile", "paper"],
    "clausality tabu": ["--assembler", "tabu", "--score", "bic"],
}
PEERS = {
    "pyAgrum greedy": (pyagrum_learner, "greedy"),
    "pyAgrum tabu": (pyagrum_learner, "tabu"),
    "pyAgrum MIIC": (pyagrum_learner, "miic"),
    "pgmpy hill climbing": (pgmpy_learner, ""),
    "causal-learn GES": (ges_learner, ""),
}


def as_child(peer, table, out):
    function, kind = PEERS[peer]
    names, arcs, seconds = function(Path(table), kind)
    quote = lambda name: json.dumps(str(name))
    lines = [f"  {quote(n)};" for n in names] + [f"  {quote(a)} -> {quote(b)};" for a, b in arcs]
    Path(out).write_text("digraph {\n" + "\n".join(lines) + "\n}\n")
    print(json.dumps({"seconds": seconds}))


def run(command, options):
    """Runs pinned; the CPU seconds of the whole child and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pinned = ["taskset", "-c", str(options.core), *map(str, command)]
    done = subprocess.run(pinned, capture_output=True, text=True, timeout=options.limit, env={**os.environ, "OMP_NUM_THREADS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-400:])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def timed(learner, table, graph, seed, options):
    """Learns; ours in CPU seconds of the whole program, theirs in those of learning alone; and those of the whole command."""
    if learner.startswith("clausality"):
        command = [options.program, "learn", table, "-o", graph, *OURS[learner], "--seed", seed, "--threads", 1, "--quiet"]
        whole = run(command, options)[0]
        return whole, whole
    whole, printed = run([sys.executable, __file__, "--child", learner, table, graph], options)
    return json.loads(printed.strip().splitlines()[-1])["seconds"], whole


def measured(learner, name, truth, table, rows, seed, options):
    graph = options.work / f"{name}-{seed}.dot"
    result = {"network": name, "seed": seed, "rows": rows, "learner": learner}
    try:
        seconds = [timed(learner, table, graph, seed, options)]
        while len(seconds) < options.times and sum(learning for learning, _ in seconds) < PATIENCE:
            seconds.append(timed(learner, table, graph, seed, options))
        compared = subprocess.run([options.program, "compare", truth, graph, "--json"], capture_output=True, text=True, check=True)
        figures = json.loads(compared.stdout)
        learning, whole = map(min, zip(*seconds))
        result |= {"seconds": learning, "command_seconds": whole, "skeleton": figures["skeleton"]["f1"], "directed": figures["directed"]["f1"],
                   "shd": figures["shd"], "cpdag_shd": figures["cpdag_shd"]}
        if Path(truth).suffix == ".bif":
            result["over_truth"] = bdeu(graph, table, options) - bdeu(truth, table, options)
    except subprocess.TimeoutExpired:
        result["failed"] = f"over {options.limit} s"
    except (RuntimeError, subprocess.CalledProcessError, json.JSONDecodeError) as error:
        result["failed"] = str(error)[-400:]
    return result


def bdeu(graph, table, options):
    fitted = options.work / "fitted.bif"
    subprocess.run([options.program, "fit", graph, table, "-o", fitted, "--quiet"], check=True, capture_output=True)
    scored = subprocess.run([options.program, "score", fitted, table, "--ess", "4", "--json"], check=True, capture_output=True, text=True)
    return json.loads(scored.stdout)["bdeu"]


def table_of(results, networks):
    learners = list(dict.fromkeys(r["learner"] for r in results))
    lines = ["| learner | " + " | ".join(networks) + " |", "|---|" + "---|" * len(networks)]
    for learner in learners:
        cells = []
        for name in networks:
            own = [r for r in results if r["learner"] == learner and r["network"] == name]
            good = [r for r in own if "failed" not in r]
            if not own:
                cells.append("–")
            elif not good:
                cells.append("failed")
            else:
                mean = lambda key: statistics.mean(r[key] for r in good)
                spread = statistics.stdev(r["cpdag_shd"] for r in good) if len(good) > 1 else 0.0
                over = f" / {min(r['over_truth'] for r in good):+.1f}" if "over_truth" in good[0] else ""
                cells.append(f"{mean('skeleton'):.3f} / {mean('directed'):.3f} / {mean('cpdag_shd'):.1f} ± {spread:.1f} / {mean('seconds'):.2f}{over}")
        lines.append(f"| {learner} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def commands_of(results, networks):
    """The CPU seconds of whole commands, the mean over seeds."""
    lines = ["| whole command, CPU seconds | " + " | ".join(networks) + " |", "|---|" + "---|" * len(networks)]
    for learner in dict.fromkeys(r["learner"] for r in results):
        cells = []
        for name in networks:
            good = [r["command_seconds"] for r in results if r["learner"] == learner and r["network"] == name and "failed" not in r]
            cells.append(f"{statistics.mean(good):.2f}" if good else "–")
        lines.append(f"| {learner} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def known(name, seed, options):
    """The network: made up, from a folder, or embedded."""
    if name in synthetic.SKEW or name.partition("-")[0] in synthetic.EVENNESS:
        truth = options.work / f"{name}-{seed}.bif"
        truth.write_text(synthetic.bif(name, seed))
        return truth
    file = Path(os.environ.get("CLAUSALITY_NETWORKS", "")) / f"{name}.bif.gz"
    return file if "CLAUSALITY_NETWORKS" in os.environ and file.exists() else f"@{name}"


def draw(truth, table, rows, seed, options):
    """A sample of the network, by the program itself or by another's sampler."""
    if options.sampler:
        network = options.work / "truth.bif"
        subprocess.run([options.program, "convert", truth, "-o", network, "--quiet"], check=True)
        command = [sys.executable, options.sampler, network, table, "--rows", rows, "--seed", seed]
    else:
        command = [options.program, "sample", truth, "-n", rows, "--seed", seed, "-o", table, "--quiet"]
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)


def main():
    if sys.argv[1:2] == ["--child"]:
        return as_child(*sys.argv[2:5])
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--networks", default="asia,child,insurance,alarm,hepar2")
    parser.add_argument("--learners", help="which, by name with commas between (default: all)")
    parser.add_argument("--name", help="the end of the names of the files that are kept")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", default="5000", help="how many, with commas between")
    parser.add_argument("--sampler", help="a Python program that draws the samples: NET.bif OUT.csv --rows N --seed S")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--times", type=int, default=1, help="how often each is run: the shortest time counts, as a shared machine only adds to it")
    options = parser.parse_args()
    networks, sizes = options.networks.split(","), [int(rows) for rows in options.rows.split(",")]
    learners = [*OURS, *PEERS]
    if options.learners:
        learners = options.learners.split(",")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    stem = Path("validation") / f"learners-{datetime.date.today()}-{commit}-{options.name or options.rows}"
    results = []
    with open(f"{stem}.jsonl", "w") as raw:
        for rows, name, seed in itertools.product(sizes, networks, range(1, options.seeds + 1)):
            truth = known(name, seed, options)
            table = options.work / f"{name}-{rows}-{seed}.csv"
            draw(truth, table, rows, seed, options)
            for learner in learners:
                if learner == "causal-learn GES" and name not in SMALL:
                    continue
                result = measured(learner, name, truth, table, rows, seed, options)
                results.append(result)
                print(json.dumps(result), file=raw, flush=True)
                print(json.dumps(result), file=sys.stderr, flush=True)
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.processor())
    of = lambda rows: [r for r in results if r["rows"] == rows]
    tables = "\n\n".join(f"{rows:,} rows\n\n{table_of(of(rows), networks)}\n\n{commands_of(of(rows), networks)}" for rows in sizes)
    elsewhere = "\n".join(f"- {name}: {ELSEWHERE[name]}" for name in networks if name in ELSEWHERE and 5000 in sizes)
    text = f"""# Learners beside each other

Date {datetime.date.today()}, commit {commit}, {model}, one pinned core; seeds 1 to {options.seeds}, samples
drawn by {'an independent sampler, the same as those of the figures below' if options.sampler else '`clausality sample`'}.
Skeleton F1 / directed F1 / CPDAG-SHD (mean ± standard deviation) / CPU seconds{f' (the best of {options.times} runs)' if options.times > 1 else ''}; of made-up networks also how far the BDeu score is
above that of the true graph, in the worst case.

{tables}
"""
    if elsewhere:
        text += f"""
Measured elsewhere with R and Java, on the independent sampler's 5,000 rows (skeleton F1 / CPDAG-SHD / CPU seconds):

{elsewhere}
"""
    Path(f"{stem}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
