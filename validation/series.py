"""Posteriors over time against pyAgrum's KTBNInference: filter, smooth, do, on random k-TBNs of its own generator.

usage: series.py PROGRAM [--networks 20] [--horizons 10,100,1000] [-o RECORD.md]

PROGRAM is the example `series` of clausality-bn. Every network has a process of its own, which may take 8 GB: what a peer's engine holds goes with it, and one that
needs more is told of. For each network and horizon three questions are asked of both:
- smooth: a third of the processes seen at random steps (some as reports with likelihoods), P(X_t | all) of every process and step
- do: the same with two interventions
- filter: P(X_t | what was seen up to t), of pyAgrum at five steps, as it is asked anew for each
The largest difference of any probability, and of the logarithm of the evidence's, is kept, with CPU seconds and peak memory (ours: of a program
that answers the one question; theirs: of the process of a network). Last, what ours takes
beside the evidence for ten of 100, 1,000 and 10,000 steps.
"""

import argparse
import datetime
import json
import os
import random
import resource
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


ROOM = 8 << 30  # bytes that the process of one network may take


def compared(program, seed, horizons):
    """One network: for each question the largest differences, seconds and peaks, a line of JSON each as it is known."""
    m = model(seed)
    document = dynamic(m)
    processes = [node["name"] for node in document["transition"]]
    with tempfile.TemporaryDirectory() as folder:
        network = os.path.join(folder, "n.json")
        with open(network, "w") as file:
            json.dump(document, file)
        for h in horizons:
            for kind in ("smooth", "do", "filter"):
                known = findings(m, h, 1000 * seed + h, 2 if kind == "do" else 0)
                answer = asked_ours(program, network, h, known, kind == "filter")
                line = {"kind": kind, "steps": h, "apart": 0.0, "log": 0.0, "seconds": answer["seconds"], "theirs": 0.0, "peak": answer["peak"]}
                line |= {"probabilities": 0, "skipped": 0, "interventions": sum(f[2] == "do" for f in known)}
                asked = [(h, known, range(h))]
                if kind == "filter":
                    at = sorted({0, h // 4, h // 2, 3 * h // 4, h - 1})
                    asked = [(max(t + 1, m.k() - 1), [f for f in known if f[1] <= t], [t]) for t in at]
                for steps, part, told in asked:
                    try:
                        found, log, took = theirs(m, steps, part)
                    except gum.FatalError:
                        line["skipped"] += 1
                        continue
                    line["theirs"] += took
                    for t in told:
                        for k, name in enumerate(processes):
                            line["probabilities"] += len(found[name][t])
                            apart = float(numpy.abs(found[name][t] - numpy.array(answer["steps"][t][k])).max())
                            line["apart"] = max(line["apart"], apart)
                    # Reports are scaled alike on both sides only where there is none.
                    if kind != "filter" and not any(f[2] == "report" for f in known):
                        line["log"] = abs(log - answer["log"]) / max(1.0, abs(log))
                line["their peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                print(json.dumps(line), flush=True)


def asked_ours(program, network, steps, known, filtering, **more):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as questions:
        questions.write(json.dumps({"steps": steps, "filter": filtering, "known": known, **more}) + "\n")
        questions.flush()
        done = subprocess.run([program, network, questions.name], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def flat(program, networks=3, lengths=(100, 1000, 10000)):
    """What ours takes beside the evidence to filter the last ten steps of a series and to smooth the first ten, in KiB, at the most of some networks. What the program held when it had read it is taken off."""
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(networks):
            m = model(seed)
            network = os.path.join(folder, "n.json")
            with open(network, "w") as file:
                json.dump(dynamic(m), file)
            for length in lengths:
                known = findings(m, length, 1000 * seed + length, 0)
                for filtering in (True, False):
                    answer = asked_ours(program, network, length, known, filtering, told=[length - 10, length] if filtering else [0, 10])
                    key = ("filter" if filtering else "smooth", length)
                    peaks[key] = max(peaks.get(key, 0), answer["peak"] - answer["held"])
    return peaks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--networks", type=int, default=20)
    parser.add_argument("--horizons", default="10,100,1000")
    parser.add_argument("--only", type=int, help="compare this network alone, in this process")
    parser.add_argument("--seconds", type=int, default=1800, help="time for one network")
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    horizons = [int(h) for h in args.horizons.split(",")]
    if args.only is not None:
        return compared(args.program, args.only, horizons)
    lines, ended = [], []
    room = lambda: resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    for seed in range(args.networks):
        command = [sys.executable, __file__, args.program, "--horizons", args.horizons, "--only", str(seed)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, preexec_fn=room, timeout=args.seconds)
            text, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            text, code = (late.stdout or b"").decode(), "out of time"
        found = [json.loads(line) for line in text.splitlines()]
        lines += [{"seed": seed, **line} for line in found]
        if code != 0:
            ended.append((seed, len(found), code, done.stderr.strip().splitlines()[-1:] if code != "out of time" else []))
        print(seed, code, [(line["kind"], line["steps"], f"{line['apart']:.1e}", line["their peak"] // 1024) for line in found], file=sys.stderr, flush=True)
    sums = lambda key: sum(line[key] for line in lines)
    out = [
        f"# Posteriors over time against KTBNInference, {datetime.date.today()}",
        "",
        f"pyAgrum {gum.__version__}, {args.networks} random k-TBNs of its generator (3 to 6 processes, 0 to 2 statics, order 1 to 3, up to 4 states). `validation/series.py` says what is asked.",
        f"{sums('probabilities')} probabilities compared, {sums('interventions')} interventions. Questions that pyAgrum refused as impossible: {sums('skipped')}.",
        "",
        "| question | steps | networks | largest difference of a probability | of ln P(evidence), relative | ours, CPU s in all | theirs, CPU s (filter: five steps each) | our largest peak, MiB | theirs, MiB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for h in horizons:
        for kind in ("smooth", "do", "filter"):
            of = [line for line in lines if (line["kind"], line["steps"]) == (kind, h)]
            if of:
                most, total = (lambda key: max(line[key] for line in of)), (lambda key: sum(line[key] for line in of))
                out.append(
                    f"| {kind} | {h} | {len(of)} | {most('apart'):.1e} | {most('log'):.1e} | {total('seconds'):.2f} | {total('theirs'):.2f} | {most('peak') / 1024:.0f} | {most('their peak') / 1024:.0f} |"
                )
    out += ["", "What ours takes beside the evidence to filter the last ten steps of a series and to smooth the first ten, by its length (the largest of three networks):", "", "| question | steps | MiB |", "|---|---|---|"]
    out += [f"| {kind} | {length} | {peak / 1024:.1f} |" for (kind, length), peak in flat(args.program).items()]
    for seed, answered, code, said in ended:
        out += ["", f"The process of network {seed} ended after {answered} of {3 * len(horizons)} questions ({code}; {' '.join(said)})."]
    text = "\n".join(out) + "\n"
    print(text)
    if args.output:
        with open(args.output, "w") as file:
            file.write(text)
    sys.exit(0 if lines and all(line["apart"] < 1e-9 for line in lines) else 1)


if __name__ == "__main__":
    main()
