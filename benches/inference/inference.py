"""Posteriors of clausality beside those of pyAgrum and pgmpy: the same doubles, the same questions, one core.

Called by run.sh. For every network FILE.bif.gz of the folder:
  all     posteriors of all nodes under random evidence on a tenth of the nodes
  mixed   posteriors of one to three nodes, each alone, under evidence on up to five nodes
Both programs get the numbers of the file as Python reads them, scaled to sum to one once, here.
"""

import argparse
import datetime
import gzip
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time

import pyagrum as gum
from importlib.metadata import version

ORDER = ["asia", "cancer", "earthquake", "survey", "sachs", "child", "insurance", "alarm", "water", "mildew", "barley",
         "hailfinder", "hepar2", "win95pts", "pathfinder", "andes", "munin1", "pigs", "link", "diabetes"]


class Net:
    """A network file: names, states, parents and rows of doubles."""

    def __init__(self, path):
        text = gzip.open(path, "rt", encoding="utf-8").read()
        self.names, self.states, self.parents, self.rows = [], {}, {}, {}
        for name, labels in re.findall(r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*\d+\s*\]\s*\{([^}]*)\}", text):
            self.names.append(name)
            self.states[name] = [label.strip() for label in labels.split(",")]
        for head, body in re.findall(r"probability\s*\(([^)]*)\)\s*\{(.*?)\n\}", text, re.S):
            child, _, given = head.partition("|")
            child = child.strip()
            self.parents[child] = [p.strip() for p in given.split(",")] if given.strip() else []
            rows = {}
            for line in body.split(";"):
                line = line.strip()
                if line.startswith("table"):
                    rows[()] = self.row(line[5:])
                elif line.startswith("("):
                    key, _, numbers = line[1:].partition(")")
                    rows[tuple(k.strip() for k in key.split(","))] = self.row(numbers)
            self.rows[child] = rows

    @staticmethod
    def row(text):
        row = [float(x) for x in text.replace(",", " ").split()]
        total = 0.0
        for x in row:
            total += x
        return [x / total for x in row] if abs(total - 1.0) > 1e-12 else row

    def configurations(self, name):
        keys = [()]
        for parent in self.parents[name]:
            keys = [key + (state,) for key in keys for state in self.states[parent]]
        return keys

    def write(self, path):
        """The file for clausality, every double written so that it reads back the same."""
        with open(path, "w", encoding="utf-8") as out:
            for name in self.names:
                labels = ", ".join(self.states[name])
                out.write(f"variable {name} {{ type discrete [ {len(self.states[name])} ] {{ {labels} }}; }}\n")
            for name in self.names:
                given = " | " + ", ".join(self.parents[name]) if self.parents[name] else ""
                out.write(f"probability ( {name}{given} ) {{\n")
                for key in self.configurations(name):
                    start = f"({', '.join(key)})" if key else "table"
                    out.write(f"  {start} {', '.join(map(repr, self.rows[name][key]))};\n")
                out.write("}\n")

    def agrum(self):
        net = gum.BayesNet()
        for name in self.names:
            net.add(gum.LabelizedVariable(name, name, self.states[name]))
        for name in self.names:
            for parent in self.parents[name]:
                net.addArc(parent, name)
        for name in self.names:
            values = {key: self.rows[name][key] for key in self.configurations(name)}
            tensor = net.cpt(name)
            index = gum.Instantiation(tensor)
            parents = self.parents[name]
            labels = {p: self.states[p] for p in parents}
            index.setFirst()
            while not index.end():
                key = tuple(labels[p][index.val(p)] for p in parents)
                tensor.set(index, values[key][index.val(name)])
                index.inc()
        return net

    def pgmpy(self):
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork

        net = DiscreteBayesianNetwork()
        net.add_nodes_from(self.names)
        net.add_edges_from((p, name) for name in self.names for p in self.parents[name])
        for name in self.names:
            keys = self.configurations(name)
            values = [[self.rows[name][key][s] for key in keys] for s in range(len(self.states[name]))]
            net.add_cpds(TabularCPD(
                name, len(self.states[name]), values, evidence=self.parents[name],
                evidence_card=[len(self.states[p]) for p in self.parents[name]],
                state_names={v: self.states[v] for v in [name, *self.parents[name]]}))
        return net

    def sample(self, rng):
        """One row; evidence taken from it is possible."""
        row, left = {}, list(self.names)
        while left:
            rest = []
            for name in left:
                if any(p not in row for p in self.parents[name]):
                    rest.append(name)
                    continue
                chances = self.rows[name][tuple(row[p] for p in self.parents[name])]
                row[name] = rng.choices(self.states[name], weights=chances)[0]
            left = rest
        return row


def questions(net, kind, count, rng):
    out = []
    for _ in range(count):
        row = net.sample(rng)
        if kind == "all":
            seen = rng.sample(net.names, max(1, len(net.names) // 10))
            out.append({"targets": None, "given": {name: row[name] for name in seen}, "joint": False})
        else:
            names = rng.sample(net.names, min(len(net.names), rng.randint(1, 3) + rng.randint(0, 5)))
            targets = names[: rng.randint(1, min(3, len(names)))]
            given = {name: row[name] for name in names[len(targets):][:5]}
            out.append({"targets": targets, "given": given, "joint": False})
    return out


def ask_clausality(binary, bif, queries, rounds, keep):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False) as file:
        file.writelines(json.dumps(q) + "\n" for q in queries)
    extra = ["--answers"] if keep else []
    done = subprocess.run([binary, bif, file.name, "--repeat", str(rounds), *extra], capture_output=True, text=True)
    os.unlink(file.name)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines[:-1], lines[-1]["seconds"]


def ask_agrum(net, queries, rounds, keep, deadline):
    """Answers and the fastest round; the engine is made anew in every round, as ours is."""
    fastest, answers = None, []
    for _ in range(rounds):
        answers = []
        start = time.process_time()
        engine = gum.LazyPropagation(net)
        engine.setNumberOfThreads(1)
        for query in queries:
            engine.eraseAllTargets()
            engine.setEvidence(query["given"])
            targets = query["targets"] or net_names(net)
            for target in targets:
                if query["targets"] is not None:
                    engine.addTarget(target)
            if query["targets"] is None:
                engine.addAllTargets()
            engine.makeInference()
            found = [engine.posterior(target) for target in targets]
            if keep:
                answers.append([tensor.tolist() for tensor in found])
            if time.process_time() - start > deadline:
                raise TimeoutError(f"over {deadline} s")
        seconds = time.process_time() - start
        fastest = seconds if fastest is None else min(fastest, seconds)
    return answers, fastest


_NAMES = {}


def net_names(net):
    return _NAMES[id(net)]


def ask_pgmpy(net, queries):
    from pgmpy.inference import VariableElimination

    engine = VariableElimination(net)
    answers = []
    for query in queries:
        found = [engine.query([t], evidence=query["given"], show_progress=False) for t in query["targets"]]
        answers.append([f.values.tolist() for f in found])
    return answers


def largest_difference(ours, theirs):
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        for p, q in zip(a, b, strict=True):
            for x, y in zip(p, q, strict=True):
                worst = max(worst, abs(x - y))
    return worst


# Networks on which pyAgrum (or pgmpy) takes long: fewer questions.
LARGE = ("munin1", "link", "diabetes", "barley", "mildew", "pigs", "water", "pathfinder", "andes")
SLOW = ("munin1", "link")


def cpu():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def summary(about, records):
    """The tables."""
    both = [r for r in records if "clausality_seconds" in r and "pyagrum_seconds" in r]
    ratios = [r["pyagrum_seconds"] / r["clausality_seconds"] for r in both]
    checked = [r for r in records if "largest_difference_pyagrum" in r]
    lines = [f"# Inference benchmark, {about['date'][:10]}, commit {about['commit']}", "",
             f"- {about['cpu']}, {about['cores']} cores, all on one; kernel {about['kernel']}; load before {about['load_before']:.2f}",
             f"- Python {about['python']}, pyAgrum {about['pyagrum']}, pgmpy {about['pgmpy']}", ""]
    if both:
        questions = sum(r["queries"] for r in checked)
        networks = len({r["network"] for r in checked})
        worst = max((r["largest_difference_pyagrum"] for r in checked), default=0.0)
        lines += [f"Largest difference from pyAgrum over {questions:,} questions on {networks} networks: {worst:.1e}.", ""]
        pgmpy = [r for r in records if "largest_difference_pgmpy" in r]
        if pgmpy:
            worst = max(r["largest_difference_pgmpy"] for r in pgmpy)
            asked = sum(r["queries_pgmpy"] for r in pgmpy)
            lines += [f"Largest difference from pgmpy over {asked:,} questions on {len(pgmpy)} networks: {worst:.1e}.", ""]
        ahead = sum(r > 1 for r in ratios)
        lines += [f"Ahead of pyAgrum on {ahead} of {len(ratios)} lines; the slowest line is {min(ratios):.1f} times as fast.", ""]
    lines += ["| network | nodes | kind | questions | clausality, s | pyAgrum, s | times as fast | largest difference | from pgmpy |",
              "|---|---:|---|---:|---:|---:|---:|---:|---:|"]
    for r in records:
        ours, theirs = r.get("clausality_seconds"), r.get("pyagrum_seconds")
        ratio = f"{theirs / ours:.1f}" if ours and theirs else ""
        text = lambda value, error: f"{value:.4f}" if value is not None else error
        number = lambda key: f"{r[key]:.1e}" if key in r else ""
        lines.append(f"| {r['network']} | {r['nodes']} | {r['kind']} | {r['queries']:,} | "
                     f"{text(ours, r.get('clausality_error', ''))} | {text(theirs, r.get('pyagrum_error', ''))} | {ratio} | "
                     f"{number('largest_difference_pyagrum')} | {number('largest_difference_pgmpy')} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", required=True)
    parser.add_argument("--networks", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--only", help="networks, with commas between")
    parser.add_argument("--kinds", default="all,mixed")
    parser.add_argument("--count", type=int, default=1000, help="mixed queries (a tenth on the slowest networks)")
    parser.add_argument("--all", type=int, default=50, help="times all posteriors are asked (fewer on large networks)")
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds; the fastest counts")
    parser.add_argument("--pgmpy", type=int, default=500, help="mixed queries checked with pgmpy too, where it is fast enough")
    parser.add_argument("--deadline", type=float, default=300.0, help="CPU seconds after which pyAgrum is stopped")
    args = parser.parse_args()
    names = args.only.split(",") if args.only else ORDER
    out = open(args.out + ".jsonl", "w", encoding="utf-8")
    about = {"date": datetime.datetime.now().isoformat(timespec="seconds"), "commit": args.commit, "cpu": cpu(),
             "cores": os.cpu_count(), "kernel": platform.release(), "python": platform.python_version(),
             "pyagrum": version("pyagrum"), "pgmpy": version("pgmpy"), "load_before": os.getloadavg()[0]}
    out.write(json.dumps(about) + "\n")
    records = []
    for name in names:
        path = os.path.join(args.networks, f"{name}.bif.gz")
        if not os.path.exists(path):
            continue
        net = Net(path)
        agrum = net.agrum()
        _NAMES[id(agrum)] = net.names
        with tempfile.TemporaryDirectory() as folder:
            bif = os.path.join(folder, "net.bif")
            net.write(bif)
            for kind in args.kinds.split(","):
                rng = random.Random(f"{name} {kind}")
                large, slow = name in LARGE, name in SLOW
                count = args.count if kind == "mixed" else args.all
                if slow or large and kind == "all":
                    count = max(3, count // 10)
                queries = questions(net, kind, count, rng)
                record = {"network": name, "nodes": len(net.names), "kind": kind, "queries": count}
                rounds = 1 if large or slow else args.rounds
                try:
                    ours, record["clausality_seconds"] = ask_clausality(args.queries, bif, queries, rounds, True)
                except RuntimeError as error:
                    record["clausality_error"] = str(error)
                    ours = None
                try:
                    _, record["pyagrum_seconds"] = ask_agrum(agrum, queries, rounds, False, args.deadline)
                    theirs, _ = ask_agrum(agrum, queries, 1, True, args.deadline)
                    if ours is not None:
                        record["largest_difference_pyagrum"] = largest_difference(ours, theirs)
                except (TimeoutError, gum.GumException) as error:
                    record["pyagrum_error"] = str(error)
                if kind == "mixed" and args.pgmpy and ours is not None and name not in LARGE:
                    part = queries[: args.pgmpy]
                    record["queries_pgmpy"] = len(part)
                    record["largest_difference_pgmpy"] = largest_difference(
                        ours[: len(part)], ask_pgmpy(net.pgmpy(), part))
                print(json.dumps(record), flush=True)
                out.write(json.dumps(record) + "\n")
                out.flush()
                records.append(record)
    with open(args.out + ".md", "w", encoding="utf-8") as file:
        file.write(summary(about, records))


if __name__ == "__main__":
    sys.exit(main())
