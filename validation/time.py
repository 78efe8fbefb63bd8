"""Networks over time learned back, ours beside pyAgrum's k-TBN learners and tigramite's PCMCI and PCMCI+.

    python3 validation/time.py PROGRAM [--studies ktbn,holes,xor,parity,chains,large] [--seeds 3] [--rows 1000,5000] [--learners ours,ghc,…] [--limit 120] [--beside FILE.jsonl…] [-o FILE.jsonl]

Generators:
  ktbn    pyAgrum's KTBNGenerator: 12 processes of 2 to 4 states, k = 3 (two lags), 24 arcs at most, at most three parents; one trajectory
  xor     8 and 20 processes of two states, 2,000 steps: half are coins, every other one the exclusive or of two coins at lags 1 to 3, right in 95 of 100
  parity  the same of three coins
  holes   the k-TBNs of 5,000 rows with a tenth of the cells and a twentieth of the steps left out, by chance; ours alone, as the peers take no holes
  large   50 processes of two and three states, three lags, 20,000 steps: each with up to two parents at lags 1 to 3 and a table drawn at random; ours and pyAgrum's greedy search, one seed
  chains  20 independent processes of two states that stay as they are in 90 of 100 steps, 2,000 steps
Figures: precision, recall and F1 over lagged arcs (with their lags) and adjacencies of lag 0; for chains false arcs (not of a process into itself)
per 100 pairs with a lag; CPU seconds. Every learner but `ours auto` (`auto:4`) is told the true depth. Each has a process of its own for each table and `--limit` CPU seconds; means are over
the tables that it finished.
"""

import argparse
import csv
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from limited import limited

DEPTH = {"ktbn": 2, "holes": 2, "xor": 3, "parity": 3, "chains": 2, "large": 3}


def together(study, processes, parents, seed, steps=2000, right=0.95):
    """Half the processes are coins, the others the parity of some of them, each at a lag of its own."""
    draw = random.Random(f"{study} {processes} {seed}")
    coins = processes // 2
    truth, acts = set(), {}
    for child in range(coins, processes):
        acts[child] = [(coin, draw.randint(1, DEPTH[study])) for coin in draw.sample(range(coins), parents)]
        truth |= {(f"X{coin}", f"X{child}", lag) for coin, lag in acts[child]}
    rows = []
    for step in range(steps):
        row = [draw.randint(0, 1) for _ in range(coins)]
        for child in range(coins, processes):
            parity = sum(rows[step - lag][coin] for coin, lag in acts[child]) % 2 if step >= DEPTH[study] else draw.randint(0, 1)
            row.append(parity if draw.random() < right else 1 - parity)
        rows.append(row)
    return [f"X{k}" for k in range(processes)], rows, truth


def chains(seed, processes=20, steps=2000, stay=0.9):
    draw = random.Random(f"chains {seed}")
    row = [draw.randint(0, 1) for _ in range(processes)]
    rows = []
    for _ in range(steps):
        row = [cell if draw.random() < stay else 1 - cell for cell in row]
        rows.append(row)
    names = [f"X{k}" for k in range(processes)]
    return names, rows, {(name, name, 1) for name in names}


def ktbn(seed, steps):
    import pyagrum
    import pyagrum.ktbn as over_time

    pyagrum.initRandom(seed)
    generator = over_time.KTBNGenerator(DEPTH["ktbn"] + 1, 12, 0, 24, 4)
    generator.setMaxParents(3)
    model = generator.generate()
    with tempfile.TemporaryDirectory() as folder:
        over_time.KTBNDatabaseGenerator(model).drawSamples(1, steps, folder, "traj")
        with open(Path(folder) / "traj1.csv", newline="") as file:
            rows = list(csv.reader(file))
    return rows[0], rows[1:], kernel(model)


def holes(seed, steps=5000):
    """A step that is missing is None, and so is a cell."""
    names, rows, truth = ktbn(seed, steps)
    draw = random.Random(f"holes {seed}")
    rows = [None if draw.random() < 0.05 else [None if draw.random() < 0.1 else cell for cell in row] for row in rows]
    return names, rows, truth


def large(seed, processes=50, steps=20000):
    draw = random.Random(f"large {seed}")
    states = [draw.randint(2, 3) for _ in range(processes)]
    acts = [[(p, draw.randint(1, DEPTH["large"])) for p in draw.sample(range(processes), draw.randint(0, 2))] for _ in range(processes)]
    tables = []
    for child in range(processes):
        size = 1
        for parent, _ in acts[child]:
            size *= states[parent]
        tables.append([[draw.gammavariate(0.5, 1) + 1e-3 for _ in range(states[child])] for _ in range(size)])
    rows = []
    for step in range(steps):
        row = []
        for child in range(processes):
            place = 0
            for parent, lag in acts[child]:
                place = place * states[parent] + (rows[step - lag][parent] if step >= lag else 0)
            row.append(draw.choices(range(states[child]), tables[child][place])[0])
        rows.append(row)
    return [f"X{k}" for k in range(processes)], rows, {(f"X{p}", f"X{child}", lag) for child in range(processes) for p, lag in acts[child]}


def kernel(model):
    """The arcs into the last slice."""
    last = DEPTH["ktbn"]
    last = max(slice for _, (_, slice) in model.arcs()) if model.arcs() else last
    return {(tail, head, last - slice) for (tail, slice), (head, at) in model.arcs() if at == last}


def ours(names, rows, depth, program, lags=None):
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "t.csv"
        with open(table, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["step"] + names)
            text = lambda cell: "" if cell is None else f"s{cell}"
            writer.writerows([step] + [text(cell) for cell in row] for step, row in enumerate(rows) if row is not None)
        command = [program, "learn", table, "--time", "step", "--lags", lags or depth, "--threads", "1", "--json", "--quiet"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
    found = set()
    for arc in json.loads(done.stdout)["arcs"]:
        name, _, lag = arc["parent"].partition("@-")
        found.add((name, arc["child"], int(lag or 0)))
    return found


def agrum(how):
    def learn(names, rows, depth, _):
        import pyagrum.ktbn as over_time

        with tempfile.TemporaryDirectory() as folder:
            with open(Path(folder) / "traj1.csv", "w", newline="") as file:
                csv.writer(file).writerows([names] + [[f"s{cell}" for cell in row] for row in rows])
            learner = over_time.KTBNLearner(folder, "traj", 1, depth + 1, set())
            if how == "ghc":
                learner.useScoreBIC().useGreedyHillClimbing()
            elif how == "tabu":
                learner.useScoreBIC().useLocalSearchWithTabuList()
            else:
                learner.useMIIC()
            return {arc for arc in kernel(learner.learnKTBN())}

    return learn


def tigramite(how):
    def learn(names, rows, depth, _):
        import numpy
        from tigramite import data_processing
        from tigramite.independence_tests.gsquared import Gsquared
        from tigramite.pcmci import PCMCI

        values = [sorted({row[k] for row in rows}) for k in range(len(names))]
        codes = numpy.array([[values[k].index(cell) for k, cell in enumerate(row)] for row in rows])
        frame = data_processing.DataFrame(codes, var_names=names, data_type=numpy.ones(codes.shape, dtype=int))
        learner = PCMCI(dataframe=frame, cond_ind_test=Gsquared(significance="analytic"), verbosity=0)
        run = learner.run_pcmciplus if how == "pcmci+" else learner.run_pcmci
        graph = run(tau_min=0, tau_max=depth, pc_alpha=0.01, **({} if how == "pcmci+" else {"alpha_level": 0.01}))["graph"]
        return {
            (names[i], names[j], lag)
            for i in range(len(names))
            for j in range(len(names))
            for lag in range(depth + 1)
            if graph[i, j, lag] in (("-->", "o-o", "x-x") if lag == 0 else ("-->",))
        }

    return learn


# Who takes part where not all do.
TAKES_PART = {"holes": ("ours", "ours auto"), "large": ("ours", "ghc")}

LEARNERS = {
    "ours": ours,
    "ours auto": lambda names, rows, depth, program: ours(names, rows, depth, program, "auto:4"),
    "ghc": agrum("ghc"),
    "tabu": agrum("tabu"),
    "miic": agrum("miic"),
    "pcmci": tigramite("pcmci"),
    "pcmci+": tigramite("pcmci+"),
}


def undirected(arcs):
    """Lagged arcs as they are; those within a step without their directions."""
    return {(a, b, lag) if lag else (min(a, b), max(a, b), 0) for a, b, lag in arcs}


def figures(study, names, truth, found, depth):
    truth, found = undirected(truth), undirected(found)
    if study == "chains":
        pairs = len(names) * (len(names) - 1) * depth + len(names) * (len(names) - 1) // 2
        return {"false": 100 * len([arc for arc in found if arc[0] != arc[1]]) / pairs}
    hits = len(truth & found)
    precision, recall = hits / max(len(found), 1), hits / max(len(truth), 1)
    return {"precision": precision, "recall": recall, "f1": 2 * hits / max(len(found) + len(truth), 1)}


def cases(study, seed, rows):
    if study == "ktbn":
        for steps in rows:
            yield f"ktbn {steps}", lambda steps=steps: ktbn(seed, steps)
    elif study == "holes":
        yield "ktbn 5000 with holes", lambda: holes(seed)
    elif study == "large":
        if seed == 1:
            yield "50 processes, 20000 steps", lambda: large(seed)
    elif study == "chains":
        yield "chains", lambda: chains(seed)
    else:
        for processes in (8, 20):
            parents = 2 if study == "xor" else 3
            yield f"{study} {processes}", lambda processes=processes: together(study, processes, parents, seed)


def table(lines):
    results = {}
    for line in lines:
        results.setdefault((line["case"], line["learner"]), []).append(line)
    print("| case | learner | finished | precision | recall | F1 | false arcs per 100 | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    for (case, learner), runs in results.items():
        mean = lambda key: [run[key] for run in runs if key in run]
        shown = lambda key: f"{statistics.mean(mean(key)):.2f}" if mean(key) else "-"
        finished = f"{sum('error' not in run for run in runs)} of {len(runs)}"
        print(f"| {case} | {learner} | {finished} | " + " | ".join(map(shown, ["precision", "recall", "f1", "false", "seconds"])) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--studies", default="ktbn,holes,xor,parity,chains,large")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", default="1000,5000")
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--beside", nargs="*", default=[], help="lines that other processes of the same run kept, for the table")
    parser.add_argument("-o", "--output", default="/dev/null")
    given = parser.parse_args()
    # Parts of one run: another process may have done some of the studies.
    lines = [json.loads(line) for part in given.beside for line in open(part)]
    with open(given.output, "w") as out:
        for study in given.studies.split(","):
            for seed in range(1, given.seeds + 1):
                for case, make in cases(study, seed, [int(rows) for rows in given.rows.split(",")]):
                    names, rows, truth = make()
                    for learner in given.learners.split(","):
                        if learner not in TAKES_PART.get(study, LEARNERS):
                            continue
                        learn = lambda: LEARNERS[learner](names, rows, DEPTH[study], given.program)
                        found, seconds = limited(learn, given.limit)
                        told = {"error": found} if isinstance(found, str) else figures(study, names, truth, found, DEPTH[study])
                        told["seconds"] = seconds
                        line = {"case": case, "seed": seed, "learner": learner, **told}
                        out.write(json.dumps(line) + "\n")
                        out.flush()
                        print(line, file=sys.stderr)
                        lines.append(line)
    table(lines)


if __name__ == "__main__":
    main()
