"""Answers, predictions and samples have the kind of the column that a network was learned from."""

import pickle
from datetime import timedelta
from decimal import Decimal

import clausality as cl
import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::clausality.DataWarning")
ROWS = 400


def _table():
    rng = np.random.default_rng(3)
    flag = rng.random(ROWS) < 0.5
    near = np.where(rng.random(ROWS) < 0.9, flag, ~flag)
    number = rng.integers(1, 6, ROWS)
    return pd.DataFrame(
        {
            "flag": flag,
            "gapped": pd.Series(near, dtype=object).where(rng.random(ROWS) < 0.9, None),
            "nullable": pd.array(near, dtype="boolean"),
            "title": np.where(flag, "True", "False"),
            "loud": np.where(near, "TRUE", "FALSE"),
            "number": number,
            "float": number.astype(float),
            "text": number.astype(str),
            "category": pd.Categorical(np.where(rng.random(ROWS) < 0.8, number, 3)),
            "objects": pd.Series(number, dtype=object),
        }
    )


TABLE = _table()


@pytest.fixture(scope="module")
def network():
    return cl.learn(TABLE, progress=False).network


@pytest.mark.parametrize("column", TABLE.columns)
def test_the_most_likely_state_is_what_a_prediction_gives(network, column):
    answer, predicted = network.query(column), network.predict(TABLE, column)
    recorded = TABLE[column].dropna()
    found = answer.most_likely
    assert type(found) is type(recorded.tolist()[0]) is type(predicted.tolist()[0]), (found, predicted.dtype)
    assert found in recorded.tolist() and answer[found] == max(answer.values())
    assert (predicted == TABLE[column]).mean() > 0.5
    assert type(pickle.loads(pickle.dumps(network)).query(column).most_likely) is type(found)
    assert type(network.query(["flag", column] if column != "flag" else ["flag", "title"])[column].most_likely) is type(found)


@pytest.mark.parametrize("make", ["polars", "pyarrow", "dict", "numpy"])
def test_of_every_kind_of_table(make):
    table = TABLE[["flag", "title", "number", "text"]]
    if make == "polars":
        polars = pytest.importorskip("polars")
        given = polars.DataFrame({name: table[name].tolist() for name in table})
    elif make == "pyarrow":
        pyarrow = pytest.importorskip("pyarrow")
        given = pyarrow.table({name: table[name].tolist() for name in table})
    elif make == "dict":
        given = {name: table[name].tolist() for name in table}
    else:
        given = np.array([table[name].tolist() for name in table], object).T
    network = cl.learn(given, progress=False).network
    for node, kind in zip(network.nodes, (bool, str, int, str)):
        predicted = network.predict(given, node)
        cells = predicted.to_pylist() if make == "pyarrow" else list(predicted)
        assert type(network.query(node).most_likely) is kind, node
        assert isinstance(cells[0], kind) or isinstance(getattr(cells[0], "item", lambda: None)(), kind), node


def test_rows_that_are_drawn_keep_texts(network):
    drawn = network.sample(5)
    assert drawn["number"].dtype.kind == "i" and drawn["float"].dtype.kind == "f" and drawn["flag"].dtype == bool
    assert all(isinstance(cell, str) for name in ("text", "title", "loud") for cell in drawn[name])


def test_a_file_does_not_tell_the_kind(network, tmp_path):
    network.write(tmp_path / "network.json")
    read = cl.read(tmp_path / "network.json")
    assert isinstance(read.query("text").most_likely, str) and read.query("number")[3] == network.query("number")[3]


def test_states_are_found_as_in_what_is_given(network):
    answer = network.query("flag")
    assert answer["True"] == answer["true"] == answer["TRUE"] == answer[True] and "True" in answer
    assert network.query("title")["true"] == network.query("title")[True]
    assert network.query("number")["4.0"] == network.query("number")[4]
    with pytest.raises(KeyError, match="no state 'maybe'"):
        answer["maybe"]


def test_over_time_too():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"t": range(200), "text": rng.integers(1, 4, 200).astype(str), "flag": rng.random(200) < 0.5})
    network = cl.learn(table, time="t", lags=1, progress=False).network
    assert isinstance(network.query("text@1").most_likely, str) and isinstance(network.query("flag@1").most_likely, bool)


WORTH = {"utility": [{"when": {"flag": True}, "value": 10}], "action": [{"do": {"title": "True"}, "cost": 1}]}


@pytest.mark.parametrize(
    "utility, told",
    [
        ([], r"utility is \[\], but expected a dict such as"),
        (None, "utility is None, but expected a dict such as"),
        ({**WORTH, "utility": [{"when": {"flag": True}, "value": "x"}]}, "'value' of utility 1 is 'x', but expected a number"),
        ({**WORTH, "utility": [{"when": {"flag": True}, "value": float("inf")}]}, "'value' of utility 1 is inf, but expected a finite number"),
        ({**WORTH, "utility": [{"when": {"flag": True}}]}, "'value' of utility 1 is None, but expected a number"),
        ({**WORTH, "action": [*WORTH["action"], {"do": {"flag": True}, "cost": "1"}]}, "'cost' of action 2 is '1', but expected a number"),
        ({**WORTH, "utility": [{"when": {"flag": [True]}, "value": 1}]}, r"'flag' of utility 1 is \[True\], but expected one state"),
        ({**WORTH, "utility": [{"when": ["flag"], "value": 1}]}, "'when' of utility 1 is .* but expected a dict"),
        ({**WORTH, "utility": {"flag": 1}}, "'utility' of the utility is .* but expected a list such as"),
        ({**WORTH, "utility": [{"when": {"flag": True}, "worth": 1}]}, "utility 1 has 'worth', but expected 'when' and 'value'"),
        ({**WORTH, "worth": []}, "the utility has 'worth', but expected a dict such as"),
    ],
)
def test_what_is_wrong_with_a_utility_is_said_in_plain_words(network, utility, told):
    with pytest.raises(cl.InputError, match=told):
        network.decide(utility)


def test_a_utility_takes_values_of_the_column(network):
    same = {"utility": [{"when": {"flag": "true"}, "value": np.float64(10)}], "action": [{"do": {"title": True}, "cost": np.int64(1)}]}
    assert network.decide(WORTH).actions == network.decide(same).actions


def _both(first, second):
    return [first, second] * 50


PANDAS = {
    "decimals": pd.Series(_both(Decimal("1.50"), Decimal("2.5")), dtype=object),
    "mixed": pd.Series(_both(1, "b"), dtype=object),
    "durations": pd.Series(pd.to_timedelta(_both(1, 2), unit="D")),
    "numbers as categories": pd.Series(pd.Categorical(_both(1, 2))),
    "intervals": pd.Series(pd.cut(_both(1, 20), [0, 10, 30])),
    "huge whole numbers": pd.Series(_both(10**20, 2 * 10**20), dtype=object),
    "huge numbers": pd.Series(_both(1e20, 2e20)),
    "narrow": pd.Series(_both(1, 2), dtype="int8"),
    "floats of half the width": pd.Series(_both(0.1, 1.5), dtype="float32"),
    "nullable": pd.Series(_both(1, 2), dtype="Int64"),
    "texts": pd.Series(_both("u", "v")),
    "more categories": pd.Series(pd.Categorical(_both("u", "v"), categories=["w", "v", "u"])),
}


@pytest.mark.parametrize("name", PANDAS)
@pytest.mark.parametrize("there", [True, False])
def test_predictions_compare_with_their_column(name, there):
    frame = pd.DataFrame({"x": _both("a", "b"), "t": PANDAS[name]})
    network = pickle.loads(pickle.dumps(cl.fit([("x", "t")], frame)))
    predicted = network.predict(frame if there else frame[["x"]], "t")
    assert (predicted == frame.t).all()
    assert predicted.dtype == frame.t.dtype or name == "texts"
    empty = frame.assign(t=None)
    assert (network.predict(empty, "t") == frame.t).all()


def test_predictions_compare_with_their_column_in_polars():
    polars = pytest.importorskip("polars")
    days = _both(timedelta(1), timedelta(2))
    columns = {
        "Float32": polars.Series(_both(0.1, 1.5), dtype=polars.Float32),
        "Int8": polars.Series(_both(1, 2), dtype=polars.Int8),
        "Categorical": polars.Series(_both("u", "v"), dtype=polars.Categorical),
        "Enum": polars.Series(_both("u", "v"), dtype=polars.Enum(["w", "u", "v"])),
        "Decimal": polars.Series(_both(Decimal("1.5"), Decimal("2.5"))),
        "Duration": polars.Series(days),
        "String": polars.Series(_both("u", "v")),
    }
    for name, column in columns.items():
        frame = polars.DataFrame({"x": _both("a", "b"), "t": column})
        network = cl.fit([("x", "t")], frame)
        for given in (frame, frame.select("x"), frame.with_columns(t=None)):
            predicted = network.predict(given, "t")
            assert (predicted == frame["t"]).all(), name
            assert predicted.dtype == column.dtype or name == "String"


def test_predictions_have_the_type_of_their_column_in_arrow_and_numpy():
    pyarrow = pytest.importorskip("pyarrow")
    for kind, cells in ((pyarrow.float32(), (0.1, 1.5)), (pyarrow.decimal128(5, 2), (Decimal("1.5"), Decimal("2"))), (pyarrow.int8(), (1, 2))):
        table = pyarrow.table({"x": _both("a", "b"), "t": pyarrow.array(_both(*cells), kind)})
        network = cl.fit([("x", "t")], table)
        assert network.predict(table, "t") == table["t"].combine_chunks() == network.predict(table.select(["x"]), "t")
    array = np.array(list(zip(_both(3, 7), _both(0.1, 1.5))), "f4")
    network = cl.fit([("x0", "x1")], array)
    assert (network.predict(array, "x1") == array[:, 1]).all()


def test_a_column_that_has_no_room_does_not_cut_what_is_predicted():
    frame = pd.DataFrame({"x": _both("a", "b"), "t": _both(1, 300)})
    network = cl.fit([("x", "t")], frame)
    assert network.predict(pd.DataFrame({"x": ["a", "b"], "t": pd.Series([1, 1], dtype="int8")}), "t").tolist() == [1, 300]
    assert network.predict({"x": ["a", "b"]}, "t") == [1, 300]
