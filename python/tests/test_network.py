"""Networks: asked, written, copied, handed to other libraries."""

from __future__ import annotations

import copy
import itertools
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clausality as cl


def test_effects_have_a_band_over_what_was_learned_again():
    rows = cl.load("asia").sample(500, seed=1)
    once = cl.learn(rows).network
    assert once.query("lung", do={"smoke": "yes"}).replicates is None
    # What these rows alone direct is told where nothing was learned again.
    caution = once.query("xray", do={"either": "yes"}).caution
    assert "directions that these rows gave" in caution and caution.endswith("learn with bootstrap=100; to say what comes first, with tiers")
    assert once.query("xray", given={"either": "yes"}).caution is None
    network = cl.learn(rows, bootstrap=5).network
    assert network.query("lung", given={"smoke": "yes"}).replicates is None
    done = network.query("lung", do={"smoke": "yes"})
    again = done.replicates
    assert again["rounds"] == 5 and again["draws"] == 200
    assert again["low"]["yes"] < done.low["yes"] <= done["yes"] <= done.high["yes"] < again["high"]["yes"]
    both = network.query(["lung", "bronc"], do={"smoke": "yes"})
    assert both["lung"].replicates == again and set(both["bronc"].replicates["low"]) == {"yes", "no"}


def test_questions_are_answered_as_on_the_command_line(command):
    said = command("query", "@asia", "--target", "lung", "--given", "smoke=yes,xray=yes", "--do", "asia=no", "--json")
    found = cl.load("asia").query("lung", {"smoke": "yes", "xray": "yes"}, {"asia": "no"})
    assert found.document == said
    assert found.probabilities == said["posterior"] and found.evidence_probability == said["evidence_probability"]
    assert found.low == said["low"] and found.high == said["high"]
    asia = cl.load("asia")
    assert asia.query("lung").low is None and asia.query("lung").high is None
    done = asia.query("lung", do={"smoke": "yes"})
    assert done.low["yes"] < done.high["yes"] == pytest.approx(0.1) and done.open[0] == {"parent": "smoke", "child": "lung"}
    both = asia.query(["lung", "bronc"], do={"smoke": "yes"})
    assert both["lung"].low == done.low and both["bronc"].high["yes"] == pytest.approx(0.6)
    several = cl.load("asia").query(["lung", "bronc"], given={"dysp": "yes"}, joint=True)
    assert several.document == command("query", "@asia", "--target", "lung,bronc", "--given", "dysp=yes", "--joint", "--json")
    assert sum(several.joint["probability"]) == pytest.approx(1)
    likely = cl.load("asia").query("lung", likely={"xray": {"yes": 0.8, "*": 0.1}})
    assert likely.document == command("query", "@asia", "--target", "lung", "--likely", "xray=yes:0.8,no:0.1", "--json")
    mpe = cl.load("asia").mpe(given={"dysp": "yes"})
    assert mpe.document == command("query", "@asia", "--mpe", "--given", "dysp=yes", "--json")
    guess = cl.load("asia").query("lung", given={"dysp": "yes"}, samples=5000, seed=4)
    assert guess.document == command("query", "@asia", "--target", "lung", "--given", "dysp=yes", "--samples", "5000", "--seed", "4", "--json")
    assert abs(guess["yes"] - cl.load("asia").query("lung", given={"dysp": "yes"})["yes"]) < 5 * guess.standard_error["yes"]


@pytest.fixture(scope="module")
def ages():
    rng = np.random.default_rng(1)
    age = rng.integers(18, 90, 2000)
    left = np.where(rng.random(2000) < age / 100, "yes", "no")
    flag = rng.random(2000) < 0.5
    return cl.learn({"age": age, "left": left, "flag": flag})


def test_what_helps_to_decide_is_as_on_the_command_line(command, tmp_path):
    asia = cl.load("asia")
    given, flags = {"dysp": "yes", "smoke": "yes"}, ["--given", "dysp=yes,smoke=yes", "--json"]
    asked = ["query", "@asia", "--target", "lung", *flags]
    said = command(*asked, "--next", "--cost", "xray=2", "--why", "--tornado", "--sensitivity")
    assert asia.next("lung", given, cost={"xray": 2})["information"] == [entry["information"] for entry in said["next"]]
    assert asia.why("lung", given).document["why"] == said["why"]
    assert asia.tornado("lung", given)["swing"] == [entry["swing"] for entry in said["tornado"]]
    assert asia.sensitivity("lung", given)["value"] == [entry["value"] for entry in said["sensitivity"]]
    worth = {"utility": [{"when": {"dysp": "yes"}, "value": -100}], "action": [{"do": {"smoke": "no"}, "cost": 5}]}
    file = tmp_path / "worth.json"
    file.write_text(json.dumps(worth))
    said = command("query", "@asia", "--utility", str(file), "--given", "asia=no", "--json")["decision"]
    assert asia.decide(worth, {"asia": "no"}).document["decision"] == said
    assert asia.decide(file, {"asia": "no"}).actions == said["actions"]
    with pytest.raises(cl.InputError, match="above 0"):
        asia.next("lung", cost={"xray": 0})
    with pytest.raises(cl.InputError, match="no action"):
        asia.decide({"utility": worth["utility"]})


def test_answers_are_found_by_the_values_of_the_column(ages):
    rng = np.random.default_rng(2)
    doors = rng.choice([2, 4], 400)
    network = cl.learn({"doors": doors, "alive": rng.random(400) < np.where(doors == 4, 0.9, 0.1)}).network
    alive, four = network.query("alive", {"doors": 4}), network.query("doors", {"alive": True})
    assert alive[True] == alive[np.bool_(True)] == max(alive.values()) and alive.most_likely is True
    assert four[4] == four[4.0] == four["4"] == four[np.int64(4)] and four.most_likely == 4 and isinstance(four.most_likely, int)
    assert 4 in four and 5 not in four and True in alive and 1 not in alive
    for answer, key, states in [(four, 5, "'2', '4'"), (alive, "perhaps", "it has "), (four, True, "'2', '4'"), (four, [4], "'2', '4'")]:
        with pytest.raises(KeyError, match=states):
            answer[key]
    both = network.query(["alive", "doors"])
    assert both["doors"][4.0] == both["doors"]["4"] and both["alive"].most_likely in (True, False)
    with pytest.raises(KeyError, match="'alive', 'doors'"):
        both["door"]
    # States of a network that knows no column.
    cancer = cl.load("cancer").query("Cancer")
    assert cancer[False] == cancer["False"] and cancer.most_likely == "False"
    assert pickle.loads(pickle.dumps(four)).most_likely == 4


def test_bands_are_shown(tmp_path):
    rows = cl.load("asia").sample(500, seed=1)
    run = cl.learn(rows, bootstrap=5, progress=False)
    answer = run.network.query("lung", do={"smoke": "yes"})
    shown = repr(answer).splitlines()
    assert "again" in shown[1] and " … " in shown[2] and shown[-1].startswith("again: what the rows leave open, over 5 graphs")
    state = next(iter(answer))
    assert f"{answer.replicates['low'][state]:.4f} … {answer.replicates['high'][state]:.4f}" in shown[2]
    assert "again from" in answer._repr_html_() and "5 graphs" in answer._repr_html_()
    # Only seen, there is one number.
    assert "…" not in repr(run.network.query("lung", {"smoke": "yes"}))
    worth = {"utility": [{"when": {"dysp": "yes"}, "value": -100}], "action": [{"do": {"bronc": "no"}, "cost": 12}]}
    decision = run.network.decide(worth)
    assert decision.replicates["rounds"] == 5 and decision.caution is None
    low, high = (decision.actions[1]["replicates"][end] for end in ("low", "high"))
    assert f"{low:.2f} … {high:.2f}" in repr(decision) and f"{low:.2f} … {high:.2f}" in decision._repr_html_()
    level = cl.load("asia").decide({**worth, "action": [{"do": {"xray": "no"}}]})
    assert level.level == [{"xray": "no"}] and "do nothing, xray=no are worth the same: any of them" in repr(level)
    with pytest.raises(cl.InputError, match="below 0.*utility of 5"):
        cl.load("asia").decide({**worth, "action": [{"do": {"xray": "no"}, "cost": -5}]})
    with pytest.raises(cl.InputError, match="without time"):
        cl.load("asia").next("lung", rows=rows)


def test_a_network_is_tested_as_on_the_command_line(command, tmp_path):
    asia = cl.load("asia")
    rows = asia.sample(1500, seed=3)
    pd.DataFrame(rows.to_dict()).to_csv(tmp_path / "rows.csv", index=False)
    said = command("test", "@asia", str(tmp_path / "rows.csv"), "--json")
    found = asia.test(rows)
    assert found.independences == said["independences"] and found.standing == said["standing"]
    assert found.hidden == said["hidden"] == []
    assert "implied independences" in repr(found)


def test_values_ranges_and_several_states(ages):
    network = ages.network
    old = network.query("left", given={"age": 80})
    assert old.evidence["age"] in network.states("age") and old["yes"] > 0.6
    assert network.query("left", given={"age": "80"}) == old == network.query("left", given={"age": np.int16(80)})
    assert network.query("left", given={"age": 80.0}).probabilities == old.probabilities
    both = network.query("left", given={"age": network.states("age")[:2]})
    text = network.query("left", given={"age": "|".join(network.states("age")[:2])})
    assert both.probabilities == text.probabilities
    assert network.query("left", given=[("age", ">=30"), ("age", "<50")])["yes"] < old["yes"]
    assert network.query("left", given={"flag": True}).evidence == {"flag": "True"}
    with pytest.warns(cl.DataWarning, match="lies beyond what was learned from"):
        network.query("left", given={"age": 200})


def test_parts_of_dates_are_taken_as_people_say_them():
    days = [f"2024-{1 + k % 12:02}-{1 + k // 12 % 28:02}" for k in range(600)]
    rows = {"day": days, "warm": [["no", "yes"][4 <= k % 12 <= 8] for k in range(600)]}
    network = cl.learn(rows, rounds=1).network
    march = network.query("warm", given={"day month": "Mar"})
    assert network.query("warm", given={"day month": "march"}) == march == network.query("warm", given={"day month": 3})
    summer = network.query("warm", given=[("day month", ">=5"), ("day month", "≤9")])
    assert summer["yes"] > 0.9 > 0.1 > march["yes"]
    with pytest.warns(cl.DataWarning, match="nobody sets"):
        network.query("warm", do={"day month": "march"})


def test_do_cuts_arcs(asia):
    cut = asia.do(bronc="yes")
    assert ("smoke", "bronc") not in cut.arcs and len(cut.arcs) == len(asia.arcs) - 1
    given = {"smoke": "yes", "dysp": "yes"}
    assert cut.query("lung", given).probabilities == pytest.approx(asia.query("lung", given, {"bronc": "yes"}).probabilities)
    assert cut.query("smoke").probabilities == asia.query("smoke").probabilities
    assert asia.do({"smoke": "no"}).query("lung")["yes"] == pytest.approx(0.01)
    with pytest.raises(cl.InputError, match="has no state"):
        asia.do(bronc="maybe")


def test_copies_pickles_and_equality(asia, ages, tmp_path):
    for network in (asia, ages.network):
        again = pickle.loads(pickle.dumps(network))
        assert again == network and hash(again) == hash(network) and again.to_bytes() == network.to_bytes()
        assert copy.copy(network) == network and copy.deepcopy(network) == network
        network.write(tmp_path / "n.json")
        assert cl.read(tmp_path / "n.json") == network
        assert cl.Network.from_document(network.document) == network
    assert asia != cl.load("cancer") and asia != 1


@pytest.mark.parametrize("ending", ["bif", "xmlbif", "net", "json", "bif.gz"])
def test_files(asia, tmp_path, ending, command):
    path = tmp_path / f"asia.{ending}"
    asia.write(path)
    assert cl.read(path) == asia
    command("convert", "@asia", "-o", tmp_path / f"theirs.{ending}", "--quiet")
    assert (tmp_path / f"theirs.{ending}").read_bytes() == path.read_bytes()
    for drawing in ("svg", "dot", "csv", "graphml"):
        asia.write(tmp_path / f"asia.{drawing}")
        assert (tmp_path / f"asia.{drawing}").stat().st_size > 50
    assert not list(tmp_path.glob(".clausality*")), "nothing is left beside"


def everything(network: cl.Network) -> dict:
    """All posteriors given each state of two nodes."""
    first, last = network.nodes[0], network.nodes[-1]
    found = {}
    for a, b in itertools.product(network.states(first), network.states(last)):
        try:
            answers = network.query([n for n in network.nodes if n not in (first, last)], {first: a, last: b})
        except cl.InputError:
            continue  # what cannot be
        found[a, b] = {node: answers[node].probabilities for node in answers}
    return found


@pytest.mark.parametrize("name", ["asia", "child", "insurance", "sachs"])
@pytest.mark.parametrize("library", ["networkx", "igraph", "pgmpy", "pyagrum"])
@pytest.mark.filterwarnings("ignore")  # of those libraries
def test_round_trips_through_other_libraries(name, library):
    network = cl.load(name)
    there = getattr(network, f"to_{library}")()
    back = getattr(cl.Network, f"from_{library}")(there)
    assert sorted(back.arcs) == sorted(network.arcs)
    assert {node: back.states(node) for node in back.nodes} == {node: network.states(node) for node in network.nodes}
    want, found = everything(network), everything(back)
    # Nodes may come in another order: each question is asked of both.
    for (a, b), answers in want.items():
        again = back.query(list(answers), {network.nodes[0]: a, network.nodes[-1]: b})
        for node, probabilities in answers.items():
            assert again[node].probabilities == pytest.approx(probabilities, abs=1e-9)
    assert found


@pytest.mark.filterwarnings("ignore")
def test_other_libraries_answer_the_same():
    import pyagrum
    from pgmpy.inference import VariableElimination

    network = cl.load("child")
    given = {"LowerBodyO2": "<5", "CO2Report": "<7.5"}
    want = network.query("Disease", given).probabilities
    theirs = VariableElimination(network.to_pgmpy()).query(["Disease"], evidence=given, show_progress=False)
    named = dict(zip(theirs.state_names["Disease"], theirs.values))
    assert named == pytest.approx(want, abs=1e-9)
    engine = pyagrum.LazyPropagation(network.to_pyagrum())
    engine.setEvidence(given)
    assert dict(zip(network.states("Disease"), engine.posterior("Disease").tolist())) == pytest.approx(want, abs=1e-9)


def test_a_graph_alone_needs_a_table(rows):
    import networkx

    graph = networkx.DiGraph([("smoke", "lung"), ("smoke", "bronc")])
    fitted = cl.fit(graph, rows)
    assert sorted(fitted.arcs) == [("smoke", "bronc"), ("smoke", "lung")]
    assert fitted == cl.fit([("smoke", "lung"), ("smoke", "bronc")], rows) == cl.fit(["smoke>lung", "smoke > bronc"], rows)
    with pytest.raises(cl.InputError, match=r"fit\(graph, table\)"):
        cl.Network.from_networkx(graph)
    with pytest.raises(cl.InputError, match="circle"):
        cl.fit([("smoke", "lung"), ("lung", "smoke")], rows)


def test_fit_is_the_command_lines(command, rows, tmp_path):
    table = tmp_path / "t.csv"
    rows.to_pandas().to_csv(table, index=False)
    for structure in ("@asia", tmp_path / "g.csv"):
        (tmp_path / "g.csv").write_text("parent,child\nsmoke,lung\nsmoke,bronc\n")
        command("fit", structure, table, "-o", tmp_path / "n.json", "--prior", "bdeu", "--prior-weight", "10", "--quiet")
        fitted = cl.fit(structure, table, prior="bdeu", prior_weight=10)
        assert fitted.to_bytes() == (tmp_path / "n.json").read_bytes()
    assert fitted.fitted["rows"] == len(rows)


KINDS = {"pandas": lambda f: f.to_pandas(), "polars": lambda f: f.to_polars(), "pyarrow": lambda f: f.to_arrow(), "own": lambda f: f}


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_in_every_kind(asia, rows, kind, command, tmp_path):
    table = KINDS[kind](rows)
    found = asia.prediction(table, "bronc")
    path = tmp_path / "t.csv"
    rows.to_pandas().to_csv(path, index=False)
    said = command("predict", "@asia", path, "--target", "bronc", "--json")
    assert [one[0] for one in said["predictions"]] == list(map(str, listed(found.labels)))
    chances = [one[1] for one in said["predictions"]]
    assert np.array([listed(found.probabilities[state]) for state in found.states]).T.tolist() == chances
    assert found.evaluation == said["evaluation"]
    assert listed(asia.predict(table, "bronc")) == listed(found.labels)
    if kind == "pandas":
        assert found.labels.name == "bronc" and isinstance(asia.predict_proba(table, "bronc"), pd.DataFrame)
        moved = table.set_index(pd.Index(range(10, 10 + len(table))))
        assert asia.predict(moved, "bronc").index.equals(moved.index)


def listed(cells) -> list:
    for how in ("to_pylist", "to_list", "tolist"):
        if hasattr(cells, how):
            return getattr(cells, how)()
    return list(cells)


def test_predictions_of_arrays(rows):
    codes = np.array([[["yes", "no"].index(cell) for cell in rows[name]] for name in rows]).T
    run = cl.learn(codes, target="x4", rounds=1)
    assert run.network.predict(codes).dtype == codes.dtype
    chances = run.network.predict_proba(codes)
    assert chances.shape == (len(rows), 2) and np.allclose(chances.sum(1), 1)
    assert {prediction["won"] for prediction in run.predictions} == {run.network.prediction(codes).won}
    by = run.network.prediction(codes, by="machines")
    assert by.by == "machines"
    with pytest.raises(cl.InputError, match="by is 'nobody', but expected one of 'network'"):
        run.network.predict(codes, by="nobody")


def test_what_predictions_lack_is_told(asia):
    with pytest.warns(cl.DataWarning, match="6 of 8 nodes have no column"):
        asia.predict({"smoke": ["yes"]}, "lung")
    with pytest.warns(cl.DataWarning, match="1 of 1 row is impossible"), pytest.warns(cl.DataWarning, match="no column"):
        assert asia.predict({"lung": ["yes"], "either": ["no"]}, "tub") == [None]
    with pytest.raises(cl.InputError, match="say which node"):
        asia.predict({"smoke": ["yes"]})


def test_scores_are_the_command_lines(asia, rows, command, tmp_path):
    path = tmp_path / "t.csv"
    rows.to_pandas().to_csv(path, index=False)
    said = command("score", "@asia", path, "--json", "-o", tmp_path / "s.csv", "--quiet")
    found = asia.score(rows, name=str(path))
    assert found.document == said
    surprise = pd.read_csv(tmp_path / "s.csv")
    ours = asia.score(rows.to_pandas()).surprise
    assert list(ours.columns) == list(surprise.columns)
    assert list(ours["row"] + 1) == list(surprise["row"]), "frames count from 0"
    assert np.allclose(ours["surprise"], surprise["surprise"]) and list(ours["column"]) == list(surprise["column"])
    impossible = {name: [cell] for name, cell in asia.mpe().states.items()} | {"lung": ["yes"], "either": ["no"]}
    assert asia.score(impossible).log_likelihood == float("-inf")
    with pytest.warns(cl.DataWarning):
        gappy = asia.score({name: [cells[0], None] for name, cells in impossible.items()} | {"lung": ["no", "no"]})
    # What a row lacks is summed out: all that is left of the second is one cell.
    assert gappy.surprise["surprise"][1] == pytest.approx(-np.log(asia.query("lung")["no"])) and gappy.scored_rows == 2


def test_samples_are_the_command_lines(asia, command, tmp_path):
    command("sample", "@asia", "-n", 50, "--seed", 3, "-o", tmp_path / "s.csv", "--quiet")
    want = pd.read_csv(tmp_path / "s.csv", dtype=str)
    found = asia.sample(50, seed=3, frame="pandas")
    assert found.astype(str).equals(want.astype(str))
    assert asia.sample(50, seed=3, frame="polars").to_dict(as_series=False) == asia.sample(50, seed=3).to_dict()
    assert asia.sample(50, seed=3, frame="pyarrow").to_pydict() == asia.sample(50, seed=3).to_dict()
    with pytest.raises(cl.InputError):
        asia.sample(0)


def test_comparisons_are_the_command_lines(command, tmp_path):
    (tmp_path / "g.csv").write_text("parent,child\nsmoke,lung\nbronc,smoke\n")
    said = command("compare", "@asia", tmp_path / "g.csv", "--json")
    assert cl.compare("@asia", tmp_path / "g.csv").document == said
    found = cl.compare(cl.load("asia"), [("smoke", "lung"), ("bronc", "smoke")])
    assert found.shd == said["shd"] and found.skeleton == said["skeleton"]
    with pytest.raises(cl.InputError, match="cannot be compared"):
        cl.compare("@asia", "@cancer")


def test_checks_and_conversions(command, tmp_path):
    assert cl.check("@asia") == command("check", "@asia", "--json")
    (tmp_path / "g.csv").write_text("parent,child\nsmoke,lung\n")
    assert cl.check(tmp_path / "g.csv") == command("check", tmp_path / "g.csv", "--json")
    cl.convert(tmp_path / "g.csv", tmp_path / "g.dot", tmp_path / "g.graphml")
    command("convert", tmp_path / "g.csv", "-o", tmp_path / "h.dot", "--quiet")
    assert (tmp_path / "g.dot").read_bytes() == (tmp_path / "h.dot").read_bytes()


def test_tables_of_probabilities(asia):
    table = asia.cpt("dysp")
    assert table.columns == ["bronc", "either", "P(yes)", "P(no)"]
    for row in table.rows():
        answer = asia.query("dysp", do={"bronc": row["bronc"], "either": row["either"]})
        assert answer["yes"] == pytest.approx(row["P(yes)"])


def test_pictures_are_light_and_dark_and_have_no_script(asia, run):
    for thing in (asia, run):
        svg, page = thing._repr_svg_(), thing._repr_html_()
        assert svg.startswith("<svg") and svg in page
        assert "<script" not in page and "prefers-color-scheme: dark" in page
        assert page.count("--cl-paper: #15171b") == 3 and page.count("--cl-paper: #ffffff") == 2


def test_other_frames_read_ours(rows):
    assert pl.DataFrame(rows).to_dict(as_series=False) == rows.to_dict() == pa.table(rows).to_pydict()
    small = cl.Frame({"a": [1, None], "b": ["x", None], "c": [0.5, None], "d": [True, False]})
    assert pa.table(small).to_pydict()["b"] == ["x", None]
    assert "<td>0.5</td>" in small._repr_html_() and small == cl.Frame(small.to_dict())
