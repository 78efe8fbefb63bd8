"""Categories that are called as gaps are in files are levels, and dates in what is given are what they are in a table."""

import clausality as cl
import pandas as pd
import pytest
from clausality._levels import MARKS

ROWS = 200


def _both(first, second):
    return [first, second] * (ROWS // 2)


@pytest.mark.parametrize("level", ["NA", "?", "nan", "null"])
def test_a_level_that_is_called_as_a_gap_is_a_level(level):
    frames = [pd.DataFrame({"x": _both("a", "b"), "t": pd.Categorical(_both(level, "b"))})]
    polars = pytest.importorskip("polars")
    frames.append(polars.DataFrame({"x": _both("a", "b"), "t": polars.Series(_both(level, "b"), dtype=polars.Categorical)}))
    for frame in frames:
        about = cl.inspect(frame)
        assert about.document["columns"][1]["kind"] == "categorical" and about.document["columns"][1]["missing"] == 0
        for network in (cl.learn(frame, seed=1, progress=False).network, cl.fit([("x", "t")], frame)):
            assert sorted(network.states("t")) == sorted([level, "b"])
            assert (network.predict(frame, "t") == frame["t"]).all()
            assert network.query("x", given={"t": level}).most_likely == "a"
        assert len(cl.strengths(frame, progress=False)) == 2
        with pytest.warns(cl.DataWarning, match="gives .t. away"):
            assert cl.evaluate(frame, "t", folds=2, progress=False).targets[0]["rows"] == ROWS


def test_what_is_said_of_a_column_comes_before_its_levels():
    frame = pd.DataFrame({"x": _both("a", "b"), "t": pd.Categorical(["NA", "b", "c", "b"] * (ROWS // 4))})
    assert "NA" in cl.inspect(frame).columns["states"][1]
    for how in ({"na": ["NA"]}, {"na": {"t": ["NA"]}}, {"config": {"na": ["NA"]}}):
        assert cl.inspect(frame, **how).document["columns"][1]["missing"] == ROWS // 4
    assert cl.inspect(frame, type={"t": "ignore"}).document["variables"] == 1
    texts = frame.assign(t=frame.t.astype(object))  # texts are as in files
    assert cl.inspect(texts).document["columns"][1]["missing"] == ROWS // 4
    many = frame.assign(t=pd.Categorical(["NA", *(f"c{k}" for k in range(49))] * 4))  # so many that the rarest share a state
    assert cl.inspect(many).document["columns"][1]["missing"] == 4


def test_levels_that_no_row_has_are_none():
    frame = pd.DataFrame({"x": _both("a", "b"), "t": pd.Categorical(["NA", "b", "b", "b"] * (ROWS // 4), categories=["NA", "b", "none"])})
    about = cl.inspect(frame)
    assert about.warnings == [] and about.columns["states"][1] == ["NA", "b"]


def test_the_marks_are_those_of_the_core():
    assert MARKS == set(cl.inspect({"x": _both("a", "b"), "y": _both(1, 2)}).params["na"])


@pytest.fixture(scope="module")
def seasons():
    days = pd.date_range("2013-01-01", periods=700)
    frame = pd.DataFrame({"date": days.strftime("%Y-%m-%d"), "id": [f"u{k}" for k in range(700)], "half": ["one" if day.month < 7 else "two" for day in days]})
    frame = frame.sample(frac=1, random_state=1, ignore_index=True)
    return frame, cl.learn(frame, seed=1, progress=False).network


def test_a_date_in_what_is_given_is_what_it_is_in_a_table(seasons):
    frame, network = seasons
    assert "date" not in network.nodes and "date month" in network.nodes
    for place in range(3):
        row = frame.drop(columns="half").iloc[place]
        chances = network.predict_proba(frame.iloc[[place]].drop(columns="half"), "half").iloc[0]
        for given in (row, {"date": row["date"]}, {"date": pd.Timestamp(row["date"])}, [("date", row["date"])]):
            answer = network.query("half", given=given)
            assert dict(answer.items()) == pytest.approx(chances.to_dict())
    assert network.mpe(given={"date": "2013-01-05"}).states["half"] == "one"
    assert "date month" in network.why("half", {"date": "2013-01-05"}).pushes


def test_what_is_said_of_a_part_comes_first_and_a_gap_says_nothing(seasons):
    _, network = seasons
    assert network.query("half", given={"date": "2013-01-05", "date month": "Dec"}).most_likely == "two"
    assert network.query("half", given={"date": None}).document["evidence"] == {}


def test_what_is_given_and_not_known_is_told(seasons):
    frame, network = seasons
    with pytest.raises(cl.InputError, match="given: 'date' is 'soon', but expected a cell as that column has them, or its parts 'date year'"):
        network.query("half", given={"date": "soon"})
    with pytest.raises(cl.InputError, match="given: 'date' is .* but expected one cell, or its parts"):
        network.query("half", given={"date": ["2013-01-05", "2013-01-06"]})
    with pytest.raises(cl.InputError, match="no node 'dates'"):
        network.query("half", given={"dates": "2013-01-05"})
    with pytest.warns(cl.DataWarning, match="no cell holds a state"):
        assert network.query("half", given=pd.Series({"date": "soon", "id": "u1"})).document["evidence"] == {}
    with pytest.warns(cl.DataWarning, match="'Half' is no node and says nothing: is 'half' meant?"):
        network.query("date month", given=pd.Series({"Half": "one"}))
    with pytest.warns(cl.DataWarning, match="'Smoke' is no node and says nothing: is 'smoke' meant?"):
        cl.load("asia").query("lung", given=pd.Series({"Smoke": "yes"}))
