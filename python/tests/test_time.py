"""Tables in the order of time: learned, asked, forecast; the same as the command line says, for every kind of frame."""

from __future__ import annotations

import csv
import io
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clausality as cl

KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def weather() -> cl.DynamicNetwork:
    """Wet ground follows rain two days later; a region has more of it."""
    yes = ["yes", "no"]
    region = {"name": "Region", "states": ["north", "south"], "rows": [[0.5, 0.5]]}
    start = [region]
    for step in (0, 1):
        start += [{"name": f"{name}@{step}", "states": yes, "rows": [[0.5, 0.5]]} for name in ("Rain", "Wet")]
    rain = {
        "name": "Rain",
        "states": yes,
        "parents": ["Region", "Rain@-1"],
        "rows": [[0.9, 0.1], [0.5, 0.5], [0.5, 0.5], [0.1, 0.9]],
    }
    wet = {"name": "Wet", "states": yes, "parents": ["Rain@-2"], "rows": [[0.95, 0.05], [0.05, 0.95]]}
    return cl.DynamicNetwork.from_document({"name": "weather", "order": 2, "start": start, "transition": [rain, wet]})


@pytest.fixture(scope="module")
def network() -> cl.DynamicNetwork:
    return weather()


@pytest.fixture(scope="module")
def columns(network) -> dict[str, list]:
    """Eight series of 80 days with dates."""
    drawn = network.sample(80, series=8, seed=5).to_dict()
    days = np.datetime64("2024-01-01") + np.array(drawn.pop("step"))
    return {"day": [str(day) for day in days], "store": [f"s{k}" for k in drawn.pop("series")], **drawn}


@pytest.fixture(scope="module")
def run(columns) -> cl.DynamicRun:
    return cl.learn(columns, time="day", entity="store", lags=2, seed=1, name="days.csv")


@pytest.fixture(scope="module")
def folder(columns, command, tmp_path_factory):
    """The same table as a file, and what the command line learned from it."""
    folder = tmp_path_factory.mktemp("time")
    pd.DataFrame(columns).to_csv(folder / "days.csv", index=False)
    command("learn", "days.csv", "--time", "day", "--entity", "store", "--lags", "2", "--run", "run", "--quiet", cwd=folder)
    return folder


def test_what_is_learned(run):
    assert isinstance(run, cl.DynamicRun) and isinstance(run.network, cl.DynamicNetwork)
    network = run.network
    assert network.nodes == ["Rain", "Wet"] and network.statics == ["Region"] and network.lags == 2
    assert {("Rain@-1", "Rain"), ("Rain@-2", "Wet")} <= set(network.arcs)
    assert network.time["entity"] == "store" and network.time["step"] == "1d"
    lags = dict(zip(zip(run.arcs["parent"], run.arcs["child"]), run.arcs["lag"]))
    assert lags["Rain@-2", "Wet"] == 2
    assert run.explain("Rain@-2>Wet").present
    assert run.report().startswith("<!DOCTYPE html>") and "<svg" in network._repr_html_()
    assert network.states("Rain@-1") == network.states("Rain") and set(network.states("Rain")) == {"no", "yes"}
    with pytest.raises(cl.InputError, match="no node 'Sun'"):
        network.states("Sun")


def test_the_command_line_says_the_same(run, folder, command):
    there = cl.read(folder / "run")
    assert isinstance(there, cl.DynamicRun) and there.network == run.network
    ours, theirs = json.loads(run.network.to_bytes()), json.loads((folder / "run/network.json").read_text())
    assert ours == theirs
    said = command("inspect", "days.csv", "--time", "day", "--entity", "store", "--json", cwd=folder)["time"]
    assert cl.inspect(folder / "days.csv", time="day", entity="store").time == said


def test_asking_is_that_of_the_command_line(run, folder, command, columns):
    asked = ["--target", "Wet@2", "--given", "Rain@0=yes,Wet@-1=no", "--do", "Rain@1=no"]
    said = command("query", "run", *asked, "--json", cwd=folder)
    found = run.network.query("Wet@2", given={"Rain@0": "yes", "Wet@-1": "no"}, do={"Rain@1": "no"})
    assert found.probabilities == said["posterior"] and found.evidence_probability == said["evidence_probability"]
    assert found["yes"] > 0.9, "rain now is wet ground two days on"
    said = command("query", "run", "--target", "Wet@-3", "--rows", "days.csv", "--entity", "s2", "--json", cwd=folder)
    assert run.network.query("Wet@-3", rows=columns, entity="s2").probabilities == said["posterior"]
    with pytest.raises(cl.InputError, match="8 series"):
        run.network.query("Wet@1", rows=columns)
    with pytest.raises(cl.InputError, match="give them with rows"):
        run.network.query("Wet@1", entity="s2")
    series = ["--rows", "days.csv", "--entity", "s2", "--json"]
    known = {"rows": columns, "entity": "s2"}
    said = command("query", "run", "--target", "Wet@3,Rain@1", "--joint", *series, cwd=folder)
    assert run.network.query(["Wet@3", "Rain@1"], joint=True, **known).document["joint"] == said["joint"]
    said = command("query", "run", "--target", "Wet@3,Rain@1", "--mpe", *series, cwd=folder)
    assert run.network.mpe(targets=["Wet@3", "Rain@1"], **known).states == said["most_probable"]
    said = command("query", "run", "--target", "Wet@3", "--given", "Rain@1=yes", "--next", "--why", "--tornado", "--sensitivity", *series, cwd=folder)
    given = {"Rain@1": "yes"}
    assert list(run.network.next("Wet@3", given, **known)["information"]) == [entry["information"] for entry in said["next"]]
    assert run.network.why("Wet@3", given, **known).document["why"] == said["why"]
    assert list(run.network.tornado("Wet@3", given, **known)["swing"]) == [entry["swing"] for entry in said["tornado"]]
    assert list(run.network.sensitivity("Wet@3", given, **known)["value"]) == [entry["value"] for entry in said["sensitivity"]]
    # The file names the steps, so nothing else has to.
    worth = {"utility": [{"when": {"Wet@4": "yes"}, "value": -10}], "action": [{"do": {"Rain@2": "no"}, "cost": 1}]}
    (folder / "worth.json").write_text(json.dumps(worth))
    said = command("query", "run", "--utility", "worth.json", *series, cwd=folder)
    assert run.network.decide(worth, **known).document["decision"] == said["decision"]
    assert run.network.decide(folder / "worth.json").actions == run.network.decide(worth).actions
    with pytest.raises(cl.InputError, match="can no longer be decided: name a step ahead"):
        run.network.decide({**worth, "action": [{"do": {"Rain@0": "no"}}]}, **known)
    drawn = ["--rows", "days.csv", "--entity", "s2", "--samples", "5000", "--seed", "3"]
    said = command("query", "run", "--target", "Wet@2", *drawn, "--json", cwd=folder)
    assert run.network.query("Wet@2", rows=columns, entity="s2", samples=5000, seed=3).probabilities == said["posterior"]


def test_what_helps_to_decide_knows_steps(network):
    asked = network.next("Wet@2", {"Region": "north"})
    assert asked["node"][0] == "Rain@0"
    why = network.why("Wet@2", {"Rain": "yes", "Wet@-1": "no"})
    assert next(iter(why.pushes)) == "Rain@0"
    assert network.mpe({"Rain@0": "yes"}, targets="Wet@2").states == {"Wet@2": "yes"}


@pytest.mark.parametrize("kind", KINDS)
def test_forecasts_are_those_of_the_command_line(kind, run, folder, command, columns):
    theirs = list(csv.DictReader(io.StringIO(command("forecast", "run", "days.csv", "--horizon", "3", cwd=folder))))
    frame = run.forecast(KINDS[kind](columns), 3)
    assert type(frame).__module__.startswith(kind)
    listed = {name: frame[name].to_pylist() if kind == "pyarrow" else list(frame[name]) for name in theirs[0]}
    assert list(listed) == ["store", "day", "ahead", "node", "state", "probability"]
    assert [{name: str(cell) for name, cell in zip(listed, row)} for row in zip(*listed.values())] == [
        {**row, "probability": str(float(row["probability"]))} for row in theirs
    ]
    only = run.forecast(KINDS[kind](columns), 1, "Wet")
    assert len(only) == 8 * 2
    drawn = run.forecast(KINDS[kind](columns), 1, "Wet", samples=2000)
    assert len(drawn) == 8 * 2 and max(drawn["standard_error"].to_pylist() if kind == "pyarrow" else drawn["standard_error"]) < 0.02


def test_stamps_come_out_as_they_came_in(network, columns):
    one = {name: cells[:80] for name, cells in columns.items() if name != "store"}
    days = pd.DataFrame({**one, "day": pd.to_datetime(one["day"])})
    found = network.forecast(days, 2, time="day")
    assert found["day"].dtype == days["day"].dtype and found["day"].iloc[0] == pd.Timestamp("2024-03-21")
    numbered = pd.DataFrame({**one, "day": range(80)})
    assert network.forecast(numbered, 2, time="day")["day"].tolist() == [80] * 4 + [81] * 4
    dated = pl.DataFrame(one).with_columns(pl.col("day").str.to_date())
    assert network.forecast(dated, 1, time="day")["day"].dtype == pl.Date
    named = pd.DataFrame({**one, "whose": pd.Categorical([7] * 80)})
    assert network.forecast(named, 1, time="day", entity="whose")["whose"].tolist() == [7] * 4


def said(network: cl.DynamicNetwork) -> dict:
    """All but which run it is: that also knows in which order the columns stood."""
    document = network.document
    document["extra"]["made"].pop("run")
    return document


def test_an_index_of_entities_and_dates_is_taken_as_it_is(run, columns):
    frame = pd.DataFrame(columns)
    frame["day"] = pd.to_datetime(frame["day"])
    indexed = frame.set_index(["store", "day"])
    again = cl.learn(indexed, lags=2, seed=1, name="days.csv")
    assert said(again.network) == said(run.network) and list(indexed.columns) == ["Region", "Rain", "Wet"]
    assert cl.learn(indexed, time="day", entity="store", lags=2, seed=1, name="days.csv").network == again.network
    found = again.forecast(indexed, 1)
    assert list(found.columns)[:2] == ["store", "day"] and len(found) == 8 * 4
    unnamed = indexed.rename_axis([None, None])
    also = cl.learn(unnamed, lags=2, seed=1)
    assert (also.network.time["time"], also.network.time["entity"]) == ("time", "entity")
    assert len(also.forecast(unnamed, 1)) == 8 * 4
    by_day = frame[frame["store"] == "s1"].drop(columns=["store", "Region"]).set_index("day")
    assert cl.inspect(by_day, time="day").time["rows"] == 80


def test_an_index_that_says_no_time(columns):
    frame = pd.DataFrame(columns)
    frame["step"] = frame.groupby("store").cumcount()
    plain = frame.drop(columns="day").set_index(["store", "step"])
    with pytest.raises(cl.InputError, match="which of them is the time"):
        cl.learn(plain, lags=2)
    assert cl.learn(plain, time="step", entity="store", lags=2).network.time["step"] == "1"
    said = "8 groups of 'store', 80 rows each on average.*left out; if 'step' says when, learn over time: time='step', entity='store'"
    with pytest.warns(cl.DataWarning, match=said):
        assert isinstance(cl.learn(plain).network, cl.Network), "an index is not taken where nothing is said of time"


def test_an_index_of_dates_is_not_left_out_in_silence(columns):
    frame = pd.DataFrame(columns)
    one = frame[frame["store"] == "s1"].drop(columns=["store", "Region"])
    dated = one.set_index(pd.to_datetime(one["day"])).drop(columns="day")
    with pytest.warns(cl.DataWarning, match="the index holds dates and is left out.*time='day'; time=False"):
        run = cl.learn(dated)
    with pytest.raises(AttributeError, match="learn with time=, the column that puts the rows in order"):
        run.forecast(dated, 1)
    unnamed = dated.rename_axis(None)
    with pytest.warns(cl.DataWarning, match="time='index'; time=False"):
        cl.inspect(unnamed)
    run = cl.learn(unnamed, time="index", lags=1)
    assert run.network.time["step"] == "1d" and set(run.forecast(unnamed, 1)["index"]) == {pd.Timestamp("2024-03-21")}
    stacked = frame.set_index(pd.to_datetime(frame["day"])).drop(columns="day")
    with pytest.warns(cl.DataWarning, match="time='day' and entity=…, the column that tells series apart"):
        cl.inspect(stacked)
    assert cl.inspect(stacked, time="day", entity="store").time["series"] == 8


def test_series_in_any_order_are_told(columns):
    frame = pd.DataFrame(columns).sample(frac=1, random_state=1)
    said = [text for text in cl.inspect(frame).warnings if text.startswith("the rows come in 8 groups of 'store'")]
    assert len(said) == 1 and "if 'day' says when, learn over time" in said[0]


def test_mistakes_are_told(columns, network):
    with pytest.raises(cl.InputError, match="lags"):
        cl.learn(columns, lags=2)
    with pytest.raises(cl.InputError, match="no number of lags"):
        cl.learn(columns, time="day", lags="many")
    with pytest.raises(cl.InputError, match="which column puts the rows in order"):
        network.forecast(columns, 1)
    with pytest.raises(cl.InputError, match="horizon is 0"):
        network.forecast(columns, 0, time="day")
    with pytest.raises(cl.InputError, match="two rows|same time|twice"):
        network.forecast(columns, 1, time="day")
    with pytest.raises(TypeError, match="'time'"):
        cl.evaluate(columns, "Rain", time="day")


def test_steps_written_out(network):
    four = network.unroll(4)
    assert isinstance(four, cl.Network) and len(four.nodes) == 9
    assert four.query("Wet_t3", {"Rain_t1": "yes"})["yes"] == 0.95
    with pytest.raises(cl.InputError):
        network.unroll(1)


def test_series_drawn(network, command, tmp_path):
    network.write(tmp_path / "weather.json")
    assert cl.read(tmp_path / "weather.json") == network
    text = command("sample", "weather.json", "--steps", "5", "--series", "3", "--seed", "9", cwd=tmp_path)
    theirs = list(csv.DictReader(io.StringIO(text)))
    ours = network.sample(5, series=3, seed=9)
    assert [{name: str(cell) for name, cell in row.items()} for row in ours.rows()] == theirs
    assert network.sample(5, frame="polars").shape == (5, 5)


def test_copies_say_the_same(run, network, tmp_path):
    assert pickle.loads(pickle.dumps(network)) == network and hash(weather()) == hash(network)
    again = pickle.loads(pickle.dumps(run))
    assert again == run and isinstance(again, cl.DynamicRun)
    assert cl.read(run.save(tmp_path / "run")) == run
    assert cl.compare(network, run.network).skeleton["recall"] > 0.5


def test_for_tigramite(network):
    graph = network.to_tigramite()
    rain, wet = map(graph["var_names"].index, ("Rain", "Wet"))
    marks = graph["graph"]
    assert marks.shape == (2, 2, 3) and marks[rain, wet, 2] == marks[rain, rain, 1] == "-->"
    assert (marks != "").sum() == 2 and graph["val_matrix"] is None


def test_for_pyagrum(network):
    ktbn = pytest.importorskip("pyagrum.ktbn")
    gum = pytest.importorskip("pyagrum")
    model = network.to_pyagrum()
    assert model.k() == 3
    steps = model.unroll(6)
    asked = gum.LazyPropagation(steps)
    asked.setEvidence({"Rain[0]": "yes", "Region": "north"})
    ours = network.unroll(6)
    for step in range(6):
        found = ours.query(f"Wet_t{step}", {"Rain_t0": "yes", "Region": "north"})
        assert asked.posterior(f"Wet[{step}]").tolist() == pytest.approx(list(found.values()), abs=1e-12)
    assert isinstance(model, ktbn.KTBN)


def test_an_explorer_shows_its_steps(run):
    pytest.importorskip("anywidget")
    explorer = cl.Explorer(run, steps=3, evidence={"Rain@0": "yes"}, selected="Rain@2")
    status, text = explorer._desk.answer("GET", "/api/network", "", "")
    shown = json.loads(text)
    assert status == 200 and shown["time"]["last"] == 3 and shown["rules"]
    assert {"process": "Rain", "step": 2}.items() <= next(node for node in shown["nodes"] if node["name"] == "Rain@2").items()
    question = json.dumps({"evidence": explorer.evidence})
    answer = json.loads(explorer._desk.answer("POST", "/api/posteriors", "application/json", question)[1])
    place = [node["name"] for node in shown["nodes"]].index("Rain@3")
    asked = run.network.query("Rain@3", given={"Rain@0": "yes"})
    assert answer["posteriors"][place] == pytest.approx(list(asked.values()), abs=1e-12)
    with pytest.raises(cl.InputError, match="Rain@9"):
        explorer.selected = "Rain@9"
    with pytest.raises(cl.InputError, match="one step of a network over time"):
        cl.Explorer(run, run.network.sample(5))
    with pytest.raises(cl.InputError, match="steps"):
        cl.Explorer(run, steps=0)
    assert "9 nodes" in repr(cl.Explorer(run.network.unroll(4)))


def test_a_run_folder_goes_on(columns, tmp_path):
    how = {"time": "day", "entity": "store", "lags": 1, "seed": 1}
    first = cl.learn(columns, run=tmp_path / "run", **how)
    assert cl.read(tmp_path / "run").network == first.network
    assert cl.learn(columns, run=tmp_path / "run", fresh=True, **how).network == first.network
