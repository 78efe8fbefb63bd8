"""Names of columns as people have them: blanks at their ends, numbers. What goes in by a name comes out by it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clausality as cl

COLUMNS = {" income": ["low", "high"] * 100, "age ": [20, 61] * 100, "flag": ["a", "a", "b", "b"] * 50}
KINDS = {"dict": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}

# The tables are small and their columns repeat each other, which is said and of no matter here.
pytestmark = pytest.mark.filterwarnings("ignore:.* gives .* away")


@pytest.mark.parametrize("kind", KINDS)
def test_blanks_at_the_ends(kind):
    table = KINDS[kind](COLUMNS)
    run = cl.learn(table, target=" income", type={"age ": "categorical"}, parameters=["flag "], rounds=1)
    assert run.network.nodes == ["income", "age", "flag"]
    assert run.network.states("age ") == ["20", "61"]
    predicted = run.network.predict(table, " income")
    assert (predicted.to_pylist() if kind == "pyarrow" else list(predicted)) == COLUMNS[" income"]
    assert run.network.query(" income", given={"age ": "20"}).most_likely == "low"
    gaps = KINDS[kind]({**COLUMNS, " income": [None, "high"] * 100})
    filled = run.network.impute(gaps)
    assert list(cl.inspect(filled, type={"age": "categorical"}).coded["income"].to_pylist() if kind == "pyarrow" else cl.inspect(filled, type={"age": "categorical"}).coded["income"]) == COLUMNS[" income"]
    names = filled.column_names if kind == "pyarrow" else filled.columns
    assert list(names) == list(COLUMNS), "the frame keeps its own names"


@pytest.mark.parametrize("kind", KINDS)
def test_blanks_at_the_ends_in_estimators(kind):
    table = KINDS[kind](COLUMNS)
    model = cl.BayesianNetworkClassifier(" income", settings={"rounds": 1}).fit(table)
    assert model.predict(table).tolist() == COLUMNS[" income"] and model.target_ == "income"
    coder = cl.Discretizer().fit(table)
    assert coder.get_feature_names_out().tolist() == list(COLUMNS)
    coded = coder.transform(table)
    assert list(coded.column_names if kind == "pyarrow" else coded.columns) == list(COLUMNS)
    gaps = KINDS[kind]({**COLUMNS, " income": [None, "high"] * 100})
    filled = cl.Imputer(settings={"rounds": 1}).fit(table).transform(gaps)
    cells = filled[" income"].to_pylist() if kind == "pyarrow" else list(filled[" income"])
    assert cells == COLUMNS[" income"]


def test_numbers_for_names():
    frame = pd.DataFrame(np.array([["a", "b"], ["b", "a"]] * 60))
    run = cl.learn(frame, parameters=[0], forbid=[(1, 0)], target=1, rounds=1)
    assert run.network.nodes == ["0", "1"]
    assert run.network.query(1, given={0: "a"}).most_likely == "b"
    assert run.network.predict(frame, 1).tolist() == frame[1].tolist()
    assert run.network.do({0: "a"}).query("1").most_likely == "b"
    assert run.network.impute(pd.DataFrame({0: ["a"], 1: [None]})).loc[0, 1] == "b"
