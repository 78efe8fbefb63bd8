"""Posteriors over time against pyAgrum's KTBNInference and against unrolling: filter, smooth, do, on random k-TBNs of pyAgrum's generator.

usage: series.py PROGRAM [--networks 20] [--horizons 10,100,1000] [--kept LINES.jsonl] [-o RECORD.md]

PROGRAM is the example `series` of clausality-bn. For each network and horizon three questions are asked of both:
- smooth: a third of the processes seen at random steps (some as reports with likelihoods), P(X_t | all) of every process and step
- do: the same with two interventions
- filter: P(X_t | what was seen up to t), at five steps, as pyAgrum is asked anew for each
Every question has a process of its own with 6 GB and `--seconds` of CPU time for pyAgrum: what its engine holds goes with it, and what it cannot answer is counted. Ours may take tables of 2 GB.
To 100 steps ours is also held against inference in one network of all steps (its other engine, a junction tree), where that is not too wide.
The largest difference of any probability, and of the logarithm of the evidence's, is kept, with CPU seconds and peak memory (ours: of a program
that answers the one question; theirs: of the process of the question). Last, what ours takes
beside the evidence for ten of 10, 100, 1,000 and 10,000 steps.
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


ROOM = 6 << 30  # bytes that pyAgrum may take for one question
OURS = 2 << 30  # bytes that ours may take for the tables of one


def largest(answer, found, told, processes):
    """The largest difference of two answers at some steps, and how many probabilities were compared."""
    apart, compared = 0.0, 0
    for t in told:
        for k, name in enumerate(processes):
            theirs = found[name][t] if isinstance(found, dict) else found[t][k]
            apart = max(apart, float(numpy.abs(numpy.array(theirs) - numpy.array(answer[t][k])).max()))
            compared += len(theirs)
    return apart, compared


def compared(program, seed, h, kind):
    """One question: a line of JSON for ours, for unrolling where that is asked, and for pyAgrum, each as it is known."""
    m = model(seed)
    document = dynamic(m)
    processes = [node["name"] for node in document["transition"]]
    known = findings(m, h, 1000 * seed + h, 2 if kind == "do" else 0)
    asked = [(h, known, range(h))]
    if kind == "filter":
        at = sorted({0, h // 4, h // 2, 3 * h // 4, h - 1})
        asked = [(max(t + 1, m.k() - 1), [f for f in known if f[1] <= t], [t]) for t in at]
    with tempfile.TemporaryDirectory() as folder:
        network = os.path.join(folder, "n.json")
        with open(network, "w") as file:
            json.dump(document, file)
        answer = asked_ours(program, network, h, known, kind == "filter", limit=OURS)
        print(json.dumps({"seconds": answer["seconds"], "peak": answer["peak"], "interventions": sum(f[2] == "do" for f in known)}), flush=True)
        line = {"unrolled": 0.0 if h <= 100 else None}
        try:
            for steps, part, told in asked if h <= 100 else []:
                written = asked_ours(program, network, steps, part, False, unrolled=True, limit=OURS)
                line["unrolled"] = max(line["unrolled"], largest(answer["steps"], written["steps"], told, processes)[0])
        except subprocess.CalledProcessError:
            line = {"unrolled": None}
        print(json.dumps(line), flush=True)
    # Only now: what pyAgrum asks for is the process's own.
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    line = {"apart": 0.0, "log": 0.0, "theirs": 0.0, "probabilities": 0, "skipped": 0}
    for steps, part, told in asked:
        try:
            found, log, took = theirs(m, steps, part)
        except gum.FatalError:
            line["skipped"] += 1
            continue
        line["theirs"] += took
        apart, count = largest(answer["steps"], found, told, processes)
        line["apart"], line["probabilities"] = max(line["apart"], apart), line["probabilities"] + count
        # Reports are scaled alike on both sides only where there is none.
        if kind != "filter" and not any(f[2] == "report" for f in known):
            line["log"] = abs(log - answer["log"]) / max(1.0, abs(log))
    line["their peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(line), flush=True)


def asked_ours(program, network, steps, known, filtering, **more):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as questions:
        questions.write(json.dumps({"steps": steps, "filter": filtering, "known": known, **more}) + "\n")
        questions.flush()
        done = subprocess.run([program, network, questions.name], capture_output=True, text=True)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, program, stderr=done.stderr)
    return json.loads(done.stdout)


def flat(program, networks=3, lengths=(10, 100, 1000, 10000)):
    """What ours takes beside the evidence to filter the last ten steps of a series and to smooth the first ten, in KiB, at the most of some networks. What the program held when it had read it is taken off."""
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(networks):
            m = model(seed)
            network = os.path.join(folder, "n.json")
            with open(network, "w") as file:
                json.dump(dynamic(m), file)
            # The same processes are seen whatever the length: which ones decides how many kinds of steps there are to plan.
            longest = findings(m, max(lengths), 1000 * seed, 0)
            for length in lengths:
                known = [finding for finding in longest if finding[1] < length]
                for filtering in (True, False):
                    answer = asked_ours(program, network, length, known, filtering, limit=OURS, told=[length - 10, length] if filtering else [0, 10])
                    key = ("filter" if filtering else "smooth", length)
                    peaks[key] = max(peaks.get(key, 0), answer["peak"] - answer["held"])
    return peaks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--networks", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first network")
    parser.add_argument("--kept", default=os.devnull, help="answers are kept here, and not asked for again")
    parser.add_argument("--horizons", default="10,100,1000")
    parser.add_argument("--only", help="compare this SEED,STEPS,KIND alone, in this process")
    parser.add_argument("--seconds", type=int, default=240, help="CPU time for one question")
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    horizons = [int(h) for h in args.horizons.split(",")]
    if args.only is not None:
        seed, steps, kind = args.only.split(",")
        return compared(args.program, int(seed), int(steps), kind)
    with open(args.kept) as file:
        lines = [json.loads(line) for line in file]
    there = {(line["steps"], line["seed"], line["kind"]) for line in lines}
    hurry = lambda: resource.setrlimit(resource.RLIMIT_CPU, (args.seconds, args.seconds))
    for h in horizons:
        for seed in range(args.first, args.networks):
            for kind in ("smooth", "do", "filter"):
                if (h, seed, kind) in there:
                    continue
                command = [sys.executable, __file__, args.program, "--only", f"{seed},{h},{kind}"]
                done = subprocess.run(command, capture_output=True, text=True, preexec_fn=hurry)
                line = {"seed": seed, "kind": kind, "steps": h, "code": done.returncode}
                for told in done.stdout.splitlines():
                    line |= json.loads(told)
                if done.returncode:
                    line["said"] = " ".join(done.stderr.strip().splitlines()[-1:])[:200]
                lines.append(line)
                with open(args.kept, "a") as file:
                    file.write(json.dumps(line) + "\n")
                print(line, file=sys.stderr, flush=True)
    sums = lambda key: sum(line.get(key, 0) for line in lines)
    out = [
        f"# Posteriors over time against KTBNInference and against unrolling, {datetime.date.today()}",
        "",
        f"pyAgrum {gum.__version__}, {args.networks} random k-TBNs of its generator (3 to 6 processes, 0 to 2 statics, order 1 to 3, up to 4 states). `validation/series.py` says what is asked; {args.seconds} CPU seconds for a question.",
        f"{sums('probabilities')} probabilities compared, {sums('interventions')} interventions. Questions that pyAgrum refused as impossible: {sums('skipped')}.",
        "",
        "| question | steps | answered by ours | by theirs | largest difference of a probability | of ln P(evidence), relative | unrolled, networks | largest difference | ours, CPU s in all | theirs, CPU s (filter: five steps each) | our largest peak, MiB | theirs, MiB |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for h in horizons:
        for kind in ("smooth", "do", "filter"):
            of = [line for line in lines if (line["kind"], line["steps"]) == (kind, h)]
            have = lambda key: [line[key] for line in of if line.get(key) is not None]
            most = lambda key, form: format(max(have(key)), form) if have(key) else "-"
            mib = lambda key: f"{max(have(key)) / 1024:.0f}" if have(key) else "-"
            cells = [kind, h, len(have("seconds")), len(have("apart")), most("apart", ".1e"), most("log", ".1e"), len(have("unrolled")), most("unrolled", ".1e")]
            cells += [f"{sum(have('seconds')):.2f}", f"{sum(have('theirs')):.2f}", mib("peak"), mib("their peak")]
            out.append("| " + " | ".join(map(str, cells)) + " |")
    out += ["", "What ours takes beside the evidence to filter the last ten steps of a series and to smooth the first ten, by its length (the largest of three networks):", "", "| question | steps | MiB |", "|---|---|---|"]
    out += [f"| {kind} | {length} | {peak / 1024:.1f} |" for (kind, length), peak in flat(args.program).items()]
    missing = [line for line in lines if "apart" not in line]
    if missing:
        out += ["", "Not answered by pyAgrum, or not by ours:", "", "| network | question | steps | ours | unrolled against ours | pyAgrum |", "|---|---|---|---|---|---|"]
    for line in missing:
        own = f"{line['seconds']:.2f} s, {line['peak'] / 1024:.0f} MiB" if "seconds" in line else "refused"
        written = f"{line['unrolled']:.1e}" if line.get("unrolled") is not None else "too wide"
        why = "not asked" if "seconds" not in line else f"ended ({line['code']}; {line.get('said', '')})"
        out.append(f"| {line['seed']} | {line['kind']} | {line['steps']} | {own} | {written} | {why} |")
    text = "\n".join(out) + "\n"
    print(text)
    if args.output:
        with open(args.output, "w") as file:
            file.write(text)
    within = lambda key: all(line[key] < 1e-9 for line in lines if line.get(key) is not None)
    sys.exit(0 if lines and within("apart") and within("unrolled") else 1)


if __name__ == "__main__":
    main()
