"""Everything that people use, for type checkers: read by ``test_typing.py`` with mypy and pyright, and run by it too, since what is not true would be of no use."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from typing_extensions import assert_type

import clausality as cl

# Tables in, runs out

asia = cl.load("asia")
assert_type(asia, cl.Network)
rows: Any = asia.sample(200, seed=2)
columns: dict[str, list[str]] = rows.to_dict()

run = cl.learn(
    columns,
    name="asia",
    top=5,
    config={"max_parents": 3},
    threads=1,
    memory_limit="1G",
    engine="threads",
    progress=False,
    parameters=["smoke"],
    unobserved=["either"],
    require=[("smoke", "lung")],
    forbid=["xray>dysp"],
    tiers=[["asia", "smoke"], ["lung", "tub"]],
    seed=1,
)
assert_type(run, cl.Run)
assert_type(run.network, cl.Network)
assert_type(run.consensus, cl.Network | None)
assert_type(run.document, dict[str, Any])
frames: list[Any] = [run.arcs, run.strengths, run.trace, cl.strengths(columns, progress=False)]
explained = run.explain(("smoke", "lung"))
assert_type(explained, cl.Explained)
assert_type(explained.rules, list[str])
page: str = run.report()
about = cl.inspect(columns)
assert_type(about, cl.Inspection)
assert_type(about.coding, str)
evaluation = cl.evaluate(columns, "bronc", folds=2, progress=False)
assert_type(evaluation, cl.Evaluation)
assert_type(evaluation.winner, str)
fitted = cl.fit([("smoke", "lung")], {name: columns[name] for name in ("smoke", "lung")})
assert_type(fitted, cl.Network)
comparison = cl.compare(asia, run)
assert_type(comparison, cl.Comparison)
shd: int = comparison.shd
if TYPE_CHECKING:  # they take their time
    assert_type(cl.demo("asia", rows=1000), cl.Run)
    assert_type(cl.validate(networks=["asia"], models=["I"]), dict[str, Any])
assert_type(cl.check("@asia"), dict[str, Any])
assert_type(cl.networks(), list[dict[str, Any]])
assert_type(cl.__version__, str)

# Networks

assert_type(asia.name, str)
assert_type(asia.nodes, list[str])
assert_type(asia.arcs, list[tuple[str, str]])
assert_type(asia.parameters, int)
assert_type(asia.states("lung"), list[str])
assert_type(asia.parents("either"), list[str])
assert_type(asia.children("smoke"), list[str])
answer = asia.query("lung", given={"smoke": "yes", "dysp": ["yes", "no"]}, do={"tub": "no"}, likely={"xray": {"yes": 0.8, "no": 0.2}})
assert isinstance(answer, cl.Answer)
assert_type(answer.probabilities, dict[str, float])
assert_type(answer.low, dict[str, float] | None)
assert_type(answer.most_likely, Any)
assert_type(answer["yes"], float)
assert_type(answer.evidence_probability, float)
answers = asia.query(["lung", "tub"], joint=True)
assert isinstance(answers, cl.Answers)
assert_type(answers["lung"], cl.Answer)
assert_type(answers.joint, cl.Frame | None)
explanation = asia.mpe(given={"dysp": "yes"})
assert_type(explanation, cl.Explanation)
assert_type(explanation.states, dict[str, str])
assert_type(asia.do(smoke="yes"), cl.Network)
assert_type(asia.do({"smoke": "yes"}), cl.Network)
assert_type(asia.why("lung", {"smoke": "yes"}), cl.Why)
assert_type(asia.why("lung", {"smoke": "yes"}).pushes, dict[str, dict[str, float]])
worth = {"utility": [{"when": {"dysp": "yes"}, "value": -100}], "action": [{"do": {"smoke": "no"}, "cost": 5}]}
assert_type(asia.decide(worth), cl.Decision)
assert_type(asia.decide(worth).best, dict[str, str])
assert_type(asia.test(columns, against=columns), cl.Tested)
told: list[Any] = [asia.next("lung", cost={"xray": 2}), asia.tornado("lung"), asia.sensitivity("lung")]
assert_type([asia.ancestors("lung"), asia.descendants("lung"), asia.markov_blanket("lung"), asia.topological_order()], list[list[str]])
assert_type(asia.independent("lung", ["bronc"], given="smoke"), bool)
labels: Any = asia.predict(columns, "lung", by="network")
both: Any = asia.predict(columns, ["lung", "tub"])
chances: Any = asia.predict_proba(columns, "lung")
prediction = asia.prediction(columns, "lung")
assert_type(prediction, cl.Prediction)
assert_type(prediction.states, list[str])
score = asia.score(columns)
assert_type(score, cl.Score)
mean: float = score.log_likelihood_per_row
assert_type(score.surprising, list[dict[str, Any]])
filled: Any = fitted.impute({"smoke": ["yes", None], "lung": [None, "no"]}, draws=2, seed=3)
table: Any = asia.cpt("lung")
assert_type(asia.to_bytes("bif"), bytes)
assert_type(cl.Network.from_networkx(asia.to_networkx()), cl.Network)
with tempfile.TemporaryDirectory() as folder:
    asia.write(os.path.join(folder, "asia.bif"))
    assert_type(cl.read(os.path.join(folder, "asia.bif")), cl.Network | cl.DynamicNetwork | cl.Run)
    cl.convert(asia, os.path.join(folder, "asia.net"), os.path.join(folder, "asia.json"))
    run.save(os.path.join(folder, "run"))

# Time

first = [{"name": f"{name}@0", "states": ["yes", "no"], "rows": [[0.5, 0.5]]} for name in ("Rain", "Wet")]
rain, wet = (
    {"name": name, "states": ["yes", "no"], "parents": ["Rain@-1"], "rows": [[0.9, 0.1], [0.2, 0.8]]} for name in ("Rain", "Wet")
)
weather = cl.DynamicNetwork.from_document({"order": 1, "start": first, "transition": [rain, wet]})
assert_type(weather, cl.DynamicNetwork)
assert_type(weather.arcs, list[tuple[str, str]])
assert_type(weather.lags, int)
assert_type(weather.unroll(3), cl.Network)
assert_type(weather.why("Rain@2", {"Rain": "yes"}), cl.Why)
series: Any = weather.sample(100, series=2, seed=3)
over_time = cl.learn(series, time="step", entity="series", lags=1, progress=False)
assert_type(over_time, cl.DynamicRun)
assert_type(cl.learn(rows, time=False, progress=False), cl.Run)
assert_type(over_time.network, cl.DynamicNetwork)
forecast: Any = over_time.forecast(series, 2, "Rain", progress=False)
later = over_time.network.query("Rain@2", given={"Wet@1": "yes"}, rows=series, entity=1)
assert isinstance(later, cl.Answer)

# Frames

frame = cl.Frame({"a": [1, 2]})
assert_type(frame.columns, list[str])
assert_type(frame.rows(), Iterator[dict[str, Any]])
assert_type(len(frame), int)

# Errors

try:
    cl.learn({"a": [1]})
except cl.InputError as error:
    value_error: ValueError = error
except cl.LimitError as error:
    memory_error: MemoryError = error
except cl.Cancelled as error:
    interrupt: KeyboardInterrupt = error
category: type[UserWarning] = cl.DataWarning

# Estimators

classifier = cl.BayesianNetworkClassifier(target="either", by="network", bins=3, random_state=1, settings={"score": "bic"}).fit(columns)
assert_type(classifier, cl.BayesianNetworkClassifier)
assert_type(classifier.network_, cl.Network)
assert_type(classifier.run_, cl.Run)
assert_type(classifier.score(columns), float)
classes: list[str] = classifier.predict(columns).tolist()
density = cl.BayesianNetwork(max_parents=2, forbid=[("xray", "dysp")], threads=1).fit(columns, sample_weight=[1.0] * 200)
assert_type(density, cl.BayesianNetwork)
assert_type(density.score(columns), float)
assert_type(cl.Discretizer(encode="label", bins={"age": 3}), cl.Discretizer)
coder = cl.Discretizer().fit(columns)
assert_type(coder.states_, dict[str, list[str]])
assert_type(coder.coding_, str)
filler = cl.Imputer(draws=1).fit(columns)
assert_type(filler.network_, cl.Network)

# The explorer

explorer = cl.Explorer(asia, columns, height=500, selected="lung", evidence={"smoke": "yes"}, do={"bronc": "no"}, memory_limit="1G")
assert_type(explorer, cl.Explorer)
explorer.evidence = {"xray": "yes"}
explorer.selected = ""
of_a_run: cl.Explorer = cl.Explorer(run)
