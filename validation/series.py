"""Posteriors over time against pyAgrum's KTBNInference: filter, smooth, do, on random k-TBNs of its own generator.

usage: series.py PROGRAM [--networks 20] [--horizons 10,100,1000] [-o RECORD.md]

PROGRAM is the example `series` of clausality-bn. For each network and horizon three questions are asked of both:
- smooth: a third of the processes seen at random steps (some as reports with likelihoods), P(X_t | all) of every process and step
- do: the same with two interventions
- filter: P(X_t | what was seen up to t), of pyAgrum at five steps, as it is asked anew for each
The largest difference of any probability, and of the logarithm of the evidence's, is kept, with CPU seconds and peak memory (ours: of a program
that answers the one question).
"""

import argparse
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy
import pyagrum as gum
import pyagrum.ktbn as ktbn


def model(seed):
    """A random k-TBN: 3 to 6 processes, 0 to 2 statics, order 1 to 3, up to 4 states."""
    draw = random.Random(seed)
    gum.initRandom(seed + 1)
    generator = ktbn.KTBNGenerator(draw.randint(2, 4), draw.randint(3, 6), draw.randint(0, 2))
    generator.setDomainRange(2, 4)
    generator.setMaxParents(3)
    return generator.generate()


def dynamic(model):
    """The same as clausality-dynamic/1: the last slice of the template is the transition, those before are the start."""
    template, order = model.toBN(), model.k() - 1
    base = lambda v: v.split("[")[0]
    at = lambda v: int(v[v.index("[") + 1 : -1])
    static = lambda v: "[" not in v
    start, transition = [], []
    for node in template.topologicalOrder():
        name = template.variable(node).name()
        now = not static(name) and at(name) == order
        cpt = template.cpt(node)
        parents = list(cpt.names)[1:]

        def called(v):
            if static(v):
                return base(v)
            return f"{base(v)}@{at(v) - order}" if now else f"{base(v)}@{at(v)}"

        # The dimensions of the array are the parents from the last to the first, and then the node itself.
        values = cpt.toarray().reshape(-1, template.variable(node).domainSize())
        rows = (values / values.sum(axis=1, keepdims=True)).tolist()
        own = base(name) if now or static(name) else f"{base(name)}@{at(name)}"
        labels = list(template.variable(node).labels())
        entry = {"name": own, "states": labels, "parents": [called(p) for p in reversed(parents)], "rows": rows}
        (transition if now else start).append(entry)
    return {"format": "clausality-dynamic/1", "order": order, "start": start, "transition": transition}


def findings(model, steps, seed, interventions):
    draw = random.Random(seed)
    names = sorted(model.temporalVarNames())
    states = {n: model.variable(n, 0).domainSize() for n in names}
    known, taken = [], set()
    for n in names:
        if draw.random() < 1 / 3 or n == names[0]:
            for t in range(steps):
                if draw.random() < 0.5:
                    if draw.random() < 0.1:
                        known.append([n, t, "report", [0.1 + 0.9 * draw.random() for _ in range(states[n])]])
                    else:
                        known.append([n, t, "see", draw.randrange(states[n])])
                    taken.add((n, t))
    for _ in range(interventions):
        n, t = draw.choice(names), draw.randrange(steps)
        if (n, t) not in taken:
            known.append([n, t, "do", draw.randrange(states[n])])
            taken.add((n, t))
    return known


def theirs(model, steps, known):
    engine = ktbn.KTBNInference(model)
    for n, t, how, what in known:
        if how == "do":
            engine.addIntervention(n, t, what)
        else:
            engine.addObservation(n, t, what)
    names = sorted(model.temporalVarNames())
    for n in names:
        engine.addTarget(n)
    start = time.process_time()
    engine.makeInference(steps)
    seconds = time.process_time() - start
    found = {n: [engine.posterior(n, t).toarray() for t in range(steps)] for n in names}
    return found, engine.logObservationProbability(), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--networks", type=int, default=20)
    parser.add_argument("--horizons", default="10,100,1000")
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    horizons = [int(h) for h in args.horizons.split(",")]
    worst = {(kind, h): [0.0, 0.0, 0.0, 0.0, 0] for h in horizons for kind in ("smooth", "do", "filter")}
    skipped = interventions = probabilities = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.networks):
            m = model(seed)
            network, questions = os.path.join(folder, "n.json"), os.path.join(folder, "q.jsonl")
            document = dynamic(m)
            with open(network, "w") as file:
                json.dump(document, file)
            processes = [node["name"] for node in document["transition"]]
            for h in horizons:
                for kind in ("smooth", "do", "filter"):
                    known = findings(m, h, 1000 * seed + h, 2 if kind == "do" else 0)
                    with open(questions, "w") as file:
                        file.write(json.dumps({"steps": h, "filter": kind == "filter", "known": known}) + "\n")
                    answer = json.loads(subprocess.run([args.program, network, questions], capture_output=True, text=True, check=True).stdout)
                    cell = worst[kind, h]
                    interventions += sum(f[2] == "do" for f in known)
                    asked = [(h, known, range(h))]
                    if kind == "filter":
                        at = sorted({0, h // 4, h // 2, 3 * h // 4, h - 1})
                        asked = [(max(t + 1, m.k() - 1), [f for f in known if f[1] <= t], [t]) for t in at]
                    seconds = 0.0
                    for steps, part, compared in asked:
                        try:
                            found, log, took = theirs(m, steps, part)
                        except gum.FatalError:
                            skipped += 1
                            continue
                        seconds += took
                        for t in compared:
                            for k, name in enumerate(processes):
                                probabilities += len(found[name][t])
                                cell[0] = max(cell[0], float(numpy.abs(found[name][t] - numpy.array(answer["steps"][t][k])).max()))
                    # Reports are scaled alike on both sides only where there is none.
                    if kind != "filter" and not any(f[2] == "report" for f in known):
                        cell[1] = max(cell[1], abs(log - answer["log"]) / max(1.0, abs(log)))
                    cell[2] += answer["seconds"]
                    cell[3] += seconds
                    cell[4] = max(cell[4], answer["peak"])
            print(seed, {f"{k} {h}": f"{v[0]:.1e}" for (k, h), v in worst.items()}, file=sys.stderr)
    lines = [
        f"# Posteriors over time against KTBNInference, {datetime.date.today()}",
        "",
        f"pyAgrum {gum.__version__}, {args.networks} random k-TBNs of its generator (3 to 6 processes, 0 to 2 statics, order 1 to 3, up to 4 states). `validation/series.py` says what is asked.",
        f"{probabilities} probabilities compared, {interventions} interventions. Questions that pyAgrum refused as impossible: {skipped}.",
        "",
        "| question | steps | largest difference of a probability | ours, CPU s in all | theirs, CPU s (filter: five steps each) | our largest peak, KiB |",
        "|---|---|---|---|---|---|",
    ]
    for (kind, h), cell in worst.items():
        lines.append(f"| {kind} | {h} | {cell[0]:.1e} | {cell[2]:.2f} | {cell[3]:.2f} | {cell[4]} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if args.output:
        with open(args.output, "w") as file:
            file.write(text)
    sys.exit(0 if all(cell[0] < 1e-9 for cell in worst.values()) else 1)


if __name__ == "__main__":
    main()
