"""What somebody with pandas or polars in a notebook takes for granted."""

from __future__ import annotations

import datetime as dt
import inspect
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clausality as cl
from clausality import _keywords
from clausality._settings import KEYWORDS

ROWS = 600


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    draw = np.random.default_rng(7)
    ill = draw.random(ROWS) < 0.4
    return pd.DataFrame(
        {
            "ill": ill,
            "children": np.where(ill, draw.integers(1, 4, ROWS), draw.integers(0, 3, ROWS)),
            "ward": np.where(ill, draw.choice(list("ab"), ROWS), "c"),
            "age": np.where(ill, 60, 40) + draw.normal(0, 10, ROWS),
        },
        index=[f"p{k}" for k in range(ROWS)],
    )


@pytest.fixture(scope="module")
def learned(people) -> cl.Network:
    return cl.learn(people, seed=1).network


# Rows that are drawn


def test_drawn_columns_have_the_type_of_their_column(people, learned):
    drawn = learned.sample(200, seed=2)
    assert drawn.ill.dtype == bool and drawn.children.dtype == people.children.dtype
    assert set(drawn.children) <= set(people.children) and 0.2 < drawn.ill.mean() < 0.6
    assert drawn.ward.dtype == "category" and set(drawn.ward) == set("abc")
    assert all(label in learned.states("age") for label in drawn.age), "numbers that were cut are labels"
    other = learned.sample(200, seed=2, frame="polars")
    assert other["ill"].dtype == pl.Boolean and other["children"].dtype.is_integer()
    assert other["children"].to_list() == drawn.children.tolist() and other["ill"].to_list() == drawn.ill.tolist()
    arrow = learned.sample(200, seed=2, frame="pyarrow")
    assert arrow.schema.field("ill").type == pa.bool_() and arrow["children"].to_pylist() == drawn.children.tolist()
    own = cl.learn(people.to_dict("list"), seed=1).network.sample(200, seed=2)
    assert own["ill"] == drawn.ill.tolist() and pa.table(own)["ill"].type == pa.bool_()
    assert learned.code(drawn).ill.isna().sum() == 0, "what was drawn is read again"


def test_drawn_series_have_the_type_of_their_column():
    wet = np.random.default_rng(3).random(200) < 0.5
    series = pd.DataFrame({"day": range(200), "wet": wet, "drops": np.roll(wet, 1) * 2})
    drawn = cl.learn(series, time="day", lags=1, seed=1).network.sample(20)
    assert drawn.wet.dtype == bool and set(drawn.drops) <= {0, 2} and drawn.step.tolist() == list(range(20))


# Categories


def kinds_of(column, **how) -> dict:
    """What becomes of a column of a pandas frame, as pandas, polars and Arrow hand it over."""
    other = pd.Series(["x", "y"] * (len(column) // 2))
    frame = pd.DataFrame({"c": column, "other": other})
    found = {}
    # polars has categories of texts alone.
    in_polars = pl.DataFrame({"c": pl.Series([str(int(cell)) for cell in column], dtype=pl.Categorical), "other": other.tolist()})
    for table in (frame, pa.Table.from_pandas(frame), in_polars):
        column = cl.inspect(table, **how).document["columns"][0]
        states = sorted(state["label"] for state in column["variables"][0]["states"])
        found[type(table).__module__.partition(".")[0]] = (column["kind"], tuple(states))
    return found


def test_numbers_that_are_categories_are_not_cut():
    codes = [10, 20, 30, 40, 50, 60] * 20
    for column in (pd.Categorical(codes), pd.Categorical([str(code) for code in codes]), pd.Categorical([float(code) for code in codes])):
        found = kinds_of(column)
        assert set(found.values()) == {("categorical", ("10", "20", "30", "40", "50", "60"))}, found
    assert cl.inspect({"c": codes, "other": ["x", "y"] * 60}).columns["kind"] == ["ordered", "categorical"], "mere numbers"
    asked = kinds_of(pd.Categorical(codes), type={"c": "numeric"})
    assert {kind for kind, _ in asked.values()} == {"numeric"}, "who says so has it otherwise"
    binned = kinds_of(pd.Categorical(codes), bins={"c": 3})
    assert {len(states) for _, states in binned.values()} == {3}


def test_predictions_of_categories_are_categories():
    draw = np.random.default_rng(1)
    zone = draw.integers(1, 7, 600) * 10
    frame = pd.DataFrame({"zone": pd.Categorical(zone), "shop": np.where(zone > 30, "big", "small")})
    network = cl.learn(frame, seed=1).network
    assert sorted(network.states("zone")) == ["10", "20", "30", "40", "50", "60"]
    assert network.predict(frame, "zone").dtype == frame.zone.dtype
    assert network.predict(frame.astype({"zone": int}), "zone").dtype == int


def test_a_level_that_is_called_na_is_a_level():
    grade = pd.Categorical(["NA", "B", "A", "B"] * 40, ["NA", "B", "A"], ordered=True)
    frame = pd.DataFrame({"grade": grade, "passed": ["no", "yes", "yes", "yes"] * 40})
    for table in (frame, pl.from_pandas(frame.astype({"grade": str})).with_columns(pl.col("grade").cast(pl.Enum(["NA", "B", "A"])))):
        network = cl.learn(table, seed=1).network
        assert network.states("grade") == ["NA", "B", "A"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert network.query("passed", given={"grade": "NA"}).most_likely == "no"
            assert list(network.code(table)["grade"])[:3] == ["NA", "B", "A"]
            # Another table may have no such type.
            assert list(network.code(frame.astype({"grade": str}))["grade"])[:3] == ["NA", "B", "A"]
    with pytest.warns(cl.DataWarning, match="'grade': in 40 of 160 rows there is no value"):
        assert network.code(frame, na=["NA"])["grade"].isna().sum() == 40
    assert cl.learn(frame, na=["NA"], seed=1).network.states("grade") == ["B", "A"], "who says so has it otherwise"


# Indices and rows


def test_the_index_stays(people, learned):
    gappy = people.assign(ward=people.ward.where(people.ward != "b"))
    with pytest.warns(cl.DataWarning, match="there is no value"):
        score = learned.score(gappy)
    assert score.surprise.index.equals(people.index) and score.surprise.row.tolist() == list(range(ROWS))
    worst = score.surprising[0]
    assert score.surprise.surprise.iloc[worst["row"]] == worst["surprise"] == score.surprise.surprise.max()
    assert f"of {score.complete_rows} complete rows" in repr(score) and score.complete_rows == (people.ward != "b").sum()
    assert "complete" not in repr(learned.score(people))
    assert learned.code(people).index.equals(people.index)
    drawn = learned.impute(gappy, draws=2)
    assert drawn.index.tolist() == people.index.tolist() * 2 and drawn.imputation.tolist() == [1] * ROWS + [2] * ROWS


@pytest.mark.parametrize("rows", [1, 5, 20])
def test_a_category_never_seen_is_unknown_however_many_rows(people, learned, rows):
    strange = people.head(rows).assign(ward="z")
    with pytest.warns(cl.DataWarning, match="'ward': no cell holds a state of the network's variable .expected b, a, c.: it counts as missing"):
        found = learned.predict_proba(strange, "ill")
    with pytest.warns(cl.DataWarning, match="ward"):
        assert np.allclose(found, learned.predict_proba(strange.drop(columns="ward"), "ill"))


def test_no_row_gives_no_prediction(people, learned):
    empty = people.iloc[:0]
    assert learned.predict(empty, "ill").dtype == bool and len(learned.predict(empty, "ill")) == 0
    assert learned.predict_proba(empty, "ward").shape == (0, 3) and list(learned.predict_proba(empty, "ward").columns) == learned.states("ward")
    assert learned.predict(pl.from_pandas(empty), "children").dtype == pl.Int64
    assert len(learned.predict(pa.Table.from_pandas(empty), "ward")) == 0
    assert learned.predict({"ward": [], "ill": []}, "ill") == []
    assert learned.impute(empty).dtypes.equals(people.dtypes) and len(learned.impute(empty, draws=2)) == 0


def test_several_targets_are_predicted(people):
    network = cl.learn(people, target=["ill", "ward"], rounds=1, seed=1).network
    both = network.predict(people)
    assert list(both.columns) == ["ill", "ward"] and both.index.equals(people.index) and both.ill.dtype == bool
    assert both.ward.equals(network.predict(people, "ward"))
    assert set(network.predict_proba(people, ["ill", "ward"])) == {"ill", "ward"}
    in_polars = network.predict(pl.from_pandas(people))
    assert in_polars.schema == {"ill": pl.Boolean, "ward": pl.Enum(network.states("ward"))}
    assert network.predict(pa.Table.from_pandas(people)).column_names == ["ill", "ward"]
    assert network.predict(people.to_dict("list"))["ill"] == both.ill.tolist()
    with pytest.raises(cl.InputError, match="learned for 'ill', 'ward': say which of them is meant, target=NODE"):
        network.prediction(people)
    with pytest.raises(cl.InputError, match="target=NODE"):
        cl.load("asia").predict(cl.load("asia").sample(3))


# Times


def test_durations_are_numbers_of_seconds_and_clocks_are_times_of_day():
    draw = np.random.default_rng(2)
    minutes = draw.integers(1, 500, 400)
    late = minutes > 240
    frame = pd.DataFrame(
        {
            "wait": pd.to_timedelta(minutes, unit="min"),
            "opened": [dt.time(20 if one else 8, 30) for one in late],
            "late": late,
        }
    )
    seen = {}
    for name, table in (("pandas", frame), ("polars", pl.from_pandas(frame)), ("pyarrow", pa.Table.from_pandas(frame)), ("dict", {k: list(frame[k]) for k in frame})):
        run = cl.learn(table, seed=1)
        seen[name] = (tuple(run.network.states("wait")), tuple(run.network.nodes))
        given = run.network.query("late", given={"wait": dt.timedelta(hours=8)})
        assert given.most_likely is True and given["true"] > 0.9, name
    assert len(set(seen.values())) == 1 and "opened hour" in seen["pandas"][1], seen
    seconds = cl.learn(frame.assign(wait=frame.wait.dt.total_seconds()), seed=1)
    assert tuple(seconds.network.states("wait")) == seen["pandas"][0]
    gappy = frame.assign(wait=frame.wait.where(frame.index % 10 > 0))
    filled = cl.learn(frame, seed=1).network.impute(gappy)
    assert filled.wait.dtype == frame.wait.dtype and filled.wait.notna().all()
    mixed = [dt.timedelta(minutes=5), None, np.timedelta64(7, "m"), np.timedelta64("NaT")]
    table = {"w": mixed * 30, "x": ["a", "b"] * 60}
    assert cl.inspect(table).columns["missing"] == [60, 0] and set(cl.inspect(table).coded["w"]) == {"300", "420", None}


# Our own frames


def test_our_frames_are_what_pandas_and_polars_take():
    rows = cl.load("asia").sample(4, seed=7)
    frame = pd.DataFrame(rows)
    assert frame.shape == (4, 8) and frame.bronc.tolist() == rows["bronc"]
    assert pl.DataFrame(rows).shape == (4, 8) and pl.DataFrame(rows)["bronc"].to_list() == rows["bronc"]
    assert pa.table(rows).num_rows == 4 and len(rows) == 4 and list(rows) == rows.columns == list(rows.keys())
    assert pd.concat([frame, pd.DataFrame(rows)]).shape == (8, 8) and rows == cl.Frame(dict(rows.items())) and rows == frame.to_dict("list")
    rows["bronc"] = ["no"] * 4
    assert pa.table(rows)["bronc"].to_pylist() == ["no"] * 4, "a changed column is handed over as it is"


# Names, files and errors


def test_names_may_hold_the_sign_of_an_arc_or_be_numbers(tmp_path):
    draw = np.random.default_rng(4)
    a = draw.random(400) < 0.5
    frame = pd.DataFrame({"a>b": a, "c": np.where(draw.random(400) < 0.9, a, ~a), 7: draw.random(400) < 0.5})
    run = cl.learn(frame, require=[("a>b", "c")], forbid=[("a>b", 7)], seed=1)
    assert ("a>b", "c") in run.network.arcs and ("a>b", "7") not in run.network.arcs
    assert run.explain(("a>b", "c")).present and run.explain(7).node == "7" and run.explain("a>b").node == "a>b"
    missing = tmp_path / "none" / "net.bif"
    with pytest.raises(FileNotFoundError) as caught:
        run.network.write(missing)
    assert caught.value.filename == str(missing) and ".clausality" not in str(caught.value)


def test_lags_may_be_a_list():
    wet = np.random.default_rng(3).random(150) < 0.5
    series = {"day": list(range(150)), "wet": wet.tolist(), "drops": np.roll(wet, 1).tolist()}
    assert cl.learn(series, time="day", lags=[1, 2], seed=1).network == cl.learn(series, time="day", lags=2, seed=1).network
    with pytest.raises(cl.InputError, match=r"lags is \[1, 7\], but expected how many steps back, such as 7, 'auto' or 'auto:7'"):
        cl.learn(series, time="day", lags=[1, 7])


def test_a_forecast_tells_of_columns_that_are_absent():
    wet = np.random.default_rng(3).random(150) < 0.5
    series = pd.DataFrame({"day": range(150), "wet": wet, "drops": np.roll(wet, 1)})
    run = cl.learn(series, time="day", lags=1, seed=1)
    with pytest.warns(cl.DataWarning, match="1 of 2 nodes? has no column in the table and counts as unknown: 'wet'"):
        run.forecast(series.drop(columns="wet"), 1)
    run.forecast(series, 1)


def test_errors_speak_of_keywords(tmp_path, people):
    frame = people.assign(number=np.arange(ROWS))[["number", "ill"]]
    with pytest.raises(cl.InputError, match=r'\(type=\{"number": "keep"\}\)$') as caught:
        cl.learn(frame)
    assert "--" not in str(caught.value) and caught.value.hint == 'type={"number": "keep"}'
    for wrong in (lambda: cl.load("asia").query("lung", memory_limit=10), lambda: cl.load("asia").sample(0), lambda: cl.learn(people, threads=0)):
        with pytest.raises((cl.InputError, cl.LimitError)) as caught:
            wrong()
        assert "--" not in str(caught.value)


def test_gaps_are_warned_of_once(people, learned):
    gappy = people.assign(ward=people.ward.where(people.ward != "b"))
    with pytest.warns(cl.DataWarning, match="'ward': in"):
        learned.predict(gappy, "ill")
    learned.predict(gappy.head(50), "ill")  # a warning would be an error
    with pytest.warns(cl.DataWarning, match="'age'"):
        learned.predict(people.assign(age=np.nan), "ill")


# Help


def test_every_setting_has_a_line_in_the_help():
    assert set(_keywords.LINES) == set(KEYWORDS)
    for function in (cl.learn, cl.strengths, cl.inspect, cl.fit, cl.evaluate, cl.demo):
        shown = inspect.getdoc(function)
        for keyword in inspect.signature(function).parameters:
            if {"parameters": "parameter"}.get(keyword, keyword) in KEYWORDS and not (function is cl.evaluate and keyword == "target"):
                assert f"\n- ``{keyword}``: " in shown, (function, keyword)
    assert "- ``bins``" in inspect.getdoc(cl.inspect) and "- ``bootstrap``" not in inspect.getdoc(cl.inspect)


def test_the_help_is_that_of_the_command_line(command):
    said = " ".join(command("learn", "--help").split())
    for keyword, line in _keywords.LINES.items():
        flag = "--" + keyword.replace("_", "-")
        assert flag in said
        assert "--" not in line, keyword
        assert (keyword in _keywords.OWN) or f" {line} " in said, f"{flag} says something else now: put its words into _keywords.py"


# The graph


def test_the_graph_answers_as_networkx_does():
    import networkx as nx

    for name in ("asia", "sachs", "child"):
        network = cl.load(name)
        graph = network.to_networkx()
        place = {node: k for k, node in enumerate(network.topological_order())}
        assert sorted(place) == sorted(network.nodes) and all(place[parent] < place[child] for parent, child in network.arcs)
        for node in network.nodes:
            assert set(network.ancestors(node)) == nx.ancestors(graph, node)
            assert set(network.descendants(node)) == nx.descendants(graph, node)
            around = {*graph.predecessors(node), *graph.successors(node)} | {p for c in graph.successors(node) for p in graph.predecessors(c)}
            assert set(network.markov_blanket(node)) == around - {node}
        draw = np.random.default_rng(5)
        for _ in range(200):
            a, b, *given = draw.permutation(network.nodes)[: draw.integers(2, 6)].tolist()
            assert network.independent(a, b, given) == nx.is_d_separator(graph, {a}, {b}, set(given))
    asia = cl.load("asia")
    assert asia.independent(["asia", "tub"], ["smoke", "bronc"]) and not asia.independent(["asia", "tub"], ["smoke", "xray"])
    with pytest.raises(cl.InputError, match="no node 'lungs'; did you mean 'lung'"):
        asia.independent("lungs", "asia")
    with pytest.raises(cl.InputError, match="no node"):
        asia.markov_blanket("nobody")
