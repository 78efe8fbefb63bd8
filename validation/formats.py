"""Network files between clausality and its peers. Called by formats.sh.

For every embedded network and every format: we write, the peer reads and answers; the peer writes, we read and answer.
All answers are compared with ours on the embedded network. Then: which awkward names survive which way.
"""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import warnings
from importlib.metadata import version

warnings.filterwarnings("ignore")
import jsonschema
import networkx as nx
import pyagrum as gum
from pgmpy import logger
from pgmpy.inference import VariableElimination
from pgmpy.readwrite import BIFReader, BIFWriter, NETReader, NETWriter, XMLBIFReader, XMLBIFWriter

logger.setLevel("ERROR")
FORMATS = ["bif", "xmlbif", "net"]
PGMPY = {"bif": (BIFReader, BIFWriter), "xmlbif": (XMLBIFReader, XMLBIFWriter), "net": (NETReader, NETWriter)}
AGRUM = {"bif": "bif", "xmlbif": "bifxml", "net": "net"}
# pgmpy's parsers need minutes for more cells than this.
PGMPY_CELLS = 5000
NAMES = {
    "a blank": "wet grass", "a slash": "Asy/Patch", "less than": "<5", "a double quote": 'say "no"', "a comma": "a,b",
    "a bracket": "f(x)", "a digit first": "2nd", "a minus": "non-smoker", "UTF-8": "été", "`__proto__`": "__proto__",
    "a keyword": "node",
}


class Program:
    def __init__(self, path, work):
        self.path, self.work = path, work

    def run(self, *args):
        done = subprocess.run([self.path, *args, "--quiet"], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1].replace(self.work + "/", ""))
        return done.stdout

    def json(self, *args):
        return json.loads(self.run(*args, "--json"))

    def posteriors(self, model, questions):
        out = []
        for target, given in questions:
            evidence = [x for name, state in given.items() for x in ("--given", f"{name}={state}")]
            out.append(self.json("query", model, "--target", target, *evidence)["posterior"])
        return out


def pgmpy_posteriors(model, questions):
    engine = VariableElimination(model)
    out = []
    for target, given in questions:
        factor = engine.query([target], evidence=given, show_progress=False)
        out.append(dict(zip(map(str, factor.state_names[target]), map(float, factor.values.ravel()))))
    return out


def agrum_posteriors(model, questions):
    out = []
    for target, given in questions:
        engine = gum.LazyPropagation(model)
        engine.setEvidence(given)
        engine.makeInference()
        labels = model.variable(target).labels()
        out.append(dict(zip(labels, (float(x) for x in engine.posterior(target).toarray()))))
    return out


def questions(network):
    """Three nodes, each asked under the likeliest states of two others."""
    names = [node["name"] for node in network["nodes"]]
    ask = [names[-1], names[0], names[len(names) // 2]]
    by_name = {node["name"]: node for node in network["nodes"]}
    evidence = {}
    # The likeliest state of a root never has probability 0 with those of other roots.
    for name in [n for n in names if not by_name[n].get("parents")][:2]:
        row = by_name[name]["rows"][0]
        evidence[name] = by_name[name]["states"][row.index(max(row))]
    return [(t, {n: s for n, s in evidence.items() if n != t}) for t in ask]


def difference(found, wanted):
    worst = 0.0
    for a, b in zip(found, wanted):
        if sorted(a) != sorted(b):
            return f"states differ: {sorted(a)[:3]} for {sorted(b)[:3]}"
        worst = max([worst] + [abs(a[s] - b[s]) for s in b])
    return f"{worst:.0e}"


def tried(action):
    try:
        return action()
    except BaseException as error:  # a peer may raise anything at all
        if isinstance(error, KeyboardInterrupt):
            raise
        text = re.sub(r"/\S*/", "", (str(error).strip().splitlines() or [""])[0]).replace("|", "/")
        return f"refused: {type(error).__name__}: {text[:70]}"


class Study:
    def __init__(self, program, work):
        self.program, self.work = program, work

    def file(self, name):
        return os.path.join(self.work, name)

    def peers(self, cells):
        peers = {"pyAgrum": (self.agrum_read, self.agrum_write, agrum_posteriors)}
        if cells <= PGMPY_CELLS:
            peers["pgmpy"] = (self.pgmpy_read, self.pgmpy_write, pgmpy_posteriors)
        return peers

    def pgmpy_read(self, path, form):
        return PGMPY[form][0](path).get_model()

    def pgmpy_write(self, model, path, form):
        PGMPY[form][1](model).write(path)

    def agrum_read(self, path, form):
        linked = f"{path}.{AGRUM[form]}"
        if not os.path.exists(linked):
            os.symlink(path, linked)
        return gum.loadBN(linked)

    def agrum_write(self, model, path, form):
        made = f"{path}.made.{AGRUM[form]}"
        gum.saveBN(model, made)
        os.replace(made, path)

    def network(self, name):
        document = self.program_json(name)
        asked = questions(document)
        ours = self.program.posteriors(f"@{name}", asked)
        cells = sum(len(row) for node in document["nodes"] for row in node["rows"])
        for form in FORMATS:
            path = self.file(f"{name}.{form}")
            self.program.run("convert", f"@{name}", "-o", path)
            for peer, (read, write, answer) in self.peers(cells).items():
                forth = tried(lambda: difference(answer(read(path, form), asked), ours))
                back = tried(lambda: self.back(f"{name}-{peer}.{form}", form, read, write, path, asked, ours))
                yield [name, form, peer, forth, back]

    def back(self, made, form, read, write, path, asked, ours):
        # The peer's own model, from the format it reads most surely, so that a writer is not blamed for a reader.
        try:
            model = read(path, form)
        except BaseException:
            model = read(os.path.splitext(path)[0] + ".bif", "bif")
        write(model, self.file(made), form)
        return difference(self.program.posteriors(self.file(made), asked), ours)

    def program_json(self, name):
        path = self.file(f"{name}.json")
        self.program.run("convert", f"@{name}", "-o", path)
        with open(path, encoding="utf-8") as f:
            return json.load(f)

    def graphml(self, name):
        path = self.file(f"{name}.graphml")
        self.program.run("convert", f"@{name}", "-o", path)
        graph, document = nx.read_graphml(path), self.program_json(name)
        arcs = {(p, node["name"]) for node in document["nodes"] for p in node["parents"]}
        same = set(graph.edges) == arcs and graph.is_directed()
        for node in document["nodes"]:
            data = graph.nodes[node["name"]]
            same &= all(json.loads(data[key]) == node[key] for key in ("states", "parents", "rows"))
        return "same" if same else "DIFFERS"

    def names(self):
        """One node and one state with each name; does the peer give the same name, and do we from its file?"""
        for kind, awkward in NAMES.items():
            rows = {"root": [awkward, "x"], "names": ["t", "f"]}
            document = {"format": "clausality-network/1", "name": "names", "nodes": [
                {"name": "root", "states": rows["root"], "parents": [], "rows": [[0.25, 0.75]]},
                {"name": awkward, "states": ["t", "f"], "parents": ["root"], "rows": [[0.5, 0.5], [0.125, 0.875]]}]}
            source = self.file("names.json")
            with open(source, "w", encoding="utf-8") as f:
                json.dump(document, f)
            row = [kind, awkward]
            for form in FORMATS:
                path = self.file(f"names-{kind.replace('`', '')}.{form}".replace(" ", "-"))
                self.program.run("convert", source, "-o", path)
                again = self.file("again.json")
                self.program.run("convert", path, "-o", again)
                with open(again, encoding="utf-8") as f:
                    assert json.load(f)["nodes"] == document["nodes"], (kind, form)
                for read, what in ((self.agrum_read, self.agrum_names), (self.pgmpy_read, self.pgmpy_names)):
                    found = tried(lambda: what(read(path, form)))
                    row.append(verdict(found, awkward))
            yield row

    @staticmethod
    def agrum_names(model):
        return {"nodes": sorted(model.names()), "states": list(model.variable("root").labels())}

    @staticmethod
    def pgmpy_names(model):
        return {"nodes": sorted(model.nodes()), "states": list(model.get_cpds("root").state_names["root"])}


def verdict(found, awkward):
    if isinstance(found, str):
        return "refused"
    parts = []
    if awkward not in found["nodes"]:
        other = [n for n in found["nodes"] if n != "root"]
        parts.append(f"node `{other[0]}`" if other else "node lost")
    if awkward not in found["states"]:
        parts.append(f"state `{found['states'][0]}`")
    return ", ".join(parts) or "same"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--networks")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        program = Program(os.path.abspath(args.program), work)
        every = sorted(network["name"] for network in program.json("networks"))
        names = args.networks.split(",") if args.networks else every
        study = Study(program, work)
        with open(os.path.join(os.path.dirname(__file__), "../docs/network.schema.json"), encoding="utf-8") as f:
            schema = json.load(f)
        rows, graphs = [], []
        for name in names:
            for row in study.network(name):
                rows.append(row)
                print("  ".join(row), flush=True)
            valid = tried(lambda: jsonschema.validate(study.program_json(name), schema) or "valid")
            graphs.append([name, study.graphml(name), valid])
        awkward = [[kind, f"`{name}`", *rest] for kind, name, *rest in study.names()]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    versions = ", ".join(f"{p} {version(p)}" for p in ("pyagrum", "pgmpy", "networkx", "jsonschema"))
    columns = [f"{form}: {peer}" for form in FORMATS for peer in ("pyAgrum", "pgmpy")]
    text = f"""# Network files between programs

{datetime.date.today()}, commit {commit}, {versions}, Python {platform.python_version()}. Made by `validation/formats.sh`.

Largest difference between their posteriors and ours, for three nodes under evidence on up to two; "we write" is read by
the peer, "they write" by us. pgmpy is left out over {PGMPY_CELLS} cells, where its parsers need minutes.

{table(["network", "format", "peer", "we write", "they write"], rows)}

GraphML in networkx (nodes, arcs, states, tables) and our JSON under `docs/network.schema.json`:

{table(["network", "GraphML", "JSON"], graphs)}

Awkward names, of a node and of a state, as the peer gives them after reading our file. We read all of them back as they
were, from every format.

{table(["kind", "name", *columns], awkward)}
"""
    path = os.path.join(os.path.dirname(__file__), f"formats-{datetime.date.today()}-{commit}.md")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    print("\n" + text + f"\nkept in {path}")


if __name__ == "__main__":
    sys.exit(main())
