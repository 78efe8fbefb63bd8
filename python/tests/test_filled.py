"""Gaps filled: the same values as on the command line, in the kind of the table."""

from __future__ import annotations

import csv
import datetime as dt
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import clausality as cl


@pytest.fixture(scope="module")
def gappy():
    rng = np.random.default_rng(4)
    size = rng.normal(10, 3, 600).round(1)
    level = np.where(size > 10, "high", "low").astype(object)
    count = (size > 8).astype(int) + (size > 12)
    level[::11] = None
    columns = {
        "size": [None if k % 7 == 0 else float(x) for k, x in enumerate(size)],
        "level": list(level),
        "count": [None if k % 13 == 0 else int(x) for k, x in enumerate(count)],
        "note": [f"n{k}" for k in range(600)],
    }
    return columns, cl.learn(columns, missing="em").network


def plain(table) -> dict[str, list]:
    if isinstance(table, pd.DataFrame):
        return {name: [None if pd.isna(x) else x for x in table[name].astype(object)] for name in table}
    if isinstance(table, pl.DataFrame):
        return table.to_dict(as_series=False)
    return table.to_pydict() if isinstance(table, pa.Table) else table.to_dict()


@pytest.mark.parametrize("draws", [None, 1, 3])
def test_every_kind(gappy, draws, command, tmp_path):
    columns, network = gappy
    network.write(tmp_path / "n.json")
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    drawn = [] if draws is None else ["--draws", draws]
    command("impute", tmp_path / "n.json", tmp_path / "t.csv", "-o", tmp_path / "f.csv", "--seed", 5, "--quiet", *drawn)
    with open(tmp_path / "f.csv", newline="") as file:
        want = list(csv.DictReader(file))
    arrow = pa.table(columns)
    tables = {
        "dict": columns,
        "pandas": pd.DataFrame(columns),
        "nullable": pd.DataFrame(columns).convert_dtypes(),
        "categories": pd.DataFrame(columns).astype({"level": "category", "count": "category"}),
        "polars": pl.DataFrame(columns),
        "arrow": arrow,
        "dictionary": arrow.set_column(1, "level", arrow["level"].dictionary_encode()),
    }
    for kind, table in tables.items():
        before = plain(table) if kind != "dict" else dict(columns)
        filled = network.impute(table, draws=draws, seed=5)
        if kind != "dict":
            assert type(filled) is type(table)
        found = plain(filled)
        assert list(found) == list(want[0]), kind
        for name in ("size", "count"):
            assert [float(x) for x in found[name]] == [float(row[name]) for row in want], (kind, name)
        assert found["level"] == [row["level"] for row in want] and found["note"] == [row["note"] for row in want]
        after = plain(table) if kind != "dict" else columns
        assert after == before, "the table itself stays as it is"
    if draws == 3:
        assert plain(filled)["imputation"] == [number for number in (1, 2, 3) for _ in range(600)]


def test_types_stay(gappy):
    columns, network = gappy
    frame = pd.DataFrame(columns).convert_dtypes().set_index(pd.Index(range(5, 605)))
    filled = network.impute(frame)
    assert (filled.dtypes == frame.dtypes).all() and filled.index.equals(frame.index)
    assert not filled[["size", "level", "count"]].isna().any().any()
    polars = pl.DataFrame(columns)
    assert network.impute(polars).schema == polars.schema
    arrow = pa.table(columns)
    assert network.impute(arrow).schema.types == arrow.schema.types


def test_states_instead_of_values(gappy):
    columns, network = gappy
    for table in (columns, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        filled = plain(network.impute(table, write="state"))
        assert filled["size"][0] in network.states("size")


def test_arrays():
    rng = np.random.default_rng(1)
    x = rng.normal(size=500)
    square = np.column_stack([x.round(2), (x > 0) * 1.0])
    network = cl.learn(square).network
    holes = square.copy()
    holes[::9, 1] = np.nan
    filled = network.impute(holes)
    assert (filled == square).mean() > 0.98 and not np.isnan(filled).any() and np.isnan(holes).any()
    assert network.impute(holes, draws=2).shape == (2, 500, 2)


def test_paths_give_text_and_files(gappy, tmp_path, command):
    columns, network = gappy
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    network.write(tmp_path / "n.json")
    command("impute", tmp_path / "n.json", tmp_path / "t.csv", "-o", tmp_path / "f.csv", "--quiet")
    assert network.impute(tmp_path / "t.csv").encode() == (tmp_path / "f.csv").read_bytes()
    network.impute(tmp_path / "t.csv", tmp_path / "g.csv")
    assert (tmp_path / "g.csv").read_bytes() == (tmp_path / "f.csv").read_bytes()


def test_what_stays_is_told(asia):
    with pytest.warns(cl.DataWarning, match="is no state of the network: it stays as it is"), pytest.warns(cl.DataWarning, match="without a column"):
        filled = asia.impute({"smoke": ["yes", "maybe", None], "lung": [None, "no", "no"]})
    assert filled["smoke"][1] == "maybe" and None not in filled["smoke"]
    with pytest.raises(cl.InputError, match="draws is 0; it must be between 1 and 1000"):
        asia.impute({"smoke": ["yes", None], "lung": ["no", "no"]}, draws=0)


MIXED = {
    "r": ["y", "n"] * 100,
    "whole": [1, 2] * 100,
    "half": [0.5, 1.5] * 100,
    "flag": [True, False] * 100,
}
ARCS = [("r", "whole"), ("r", "half"), ("r", "flag")]


@pytest.fixture(scope="module")
def mixed():
    return cl.fit(ARCS, MIXED)


def test_columns_of_nothing_but_gaps_are_filled_as_they_were(mixed):
    gaps = {"r": ["y", "n"], "whole": [None, None], "half": [None, None], "flag": [None, None]}
    want = {"r": ["y", "n"], "whole": [1, 2], "half": [0.5, 1.5], "flag": [True, False]}
    found = mixed.impute(gaps).to_dict()
    assert found == want and type(found["whole"][0]) is int and type(found["flag"][0]) is bool
    frame = mixed.impute(pd.DataFrame(gaps))
    assert frame.to_dict("list") == want
    typed = pd.DataFrame(gaps).astype({"whole": "Int8", "half": "float32", "flag": "boolean"})
    assert mixed.impute(typed).dtypes.to_dict() == typed.dtypes.to_dict()
    plain = pd.DataFrame({"r": ["y", "n"], "whole": [np.nan, np.nan], "half": [0.5, np.nan], "flag": [True, None]})
    assert mixed.impute(plain)["whole"].dtype == "float64" and mixed.impute(plain)["whole"].tolist() == [1.0, 2.0]
    series = pl.DataFrame(gaps)
    assert mixed.impute(series).to_dict(as_series=False) == want
    kinds = {"r": pl.String, "whole": pl.Int8, "half": pl.Float32, "flag": pl.Boolean}
    assert dict(mixed.impute(series.cast(kinds)).schema) == kinds
    arrow = pa.table(gaps, pa.schema({"r": pa.string(), "whole": pa.int8(), "half": pa.float32(), "flag": pa.bool_()}))
    assert mixed.impute(arrow).schema == arrow.schema and mixed.impute(arrow).to_pydict() == want
    assert mixed.impute(pa.table(gaps)).to_pydict() == want


def test_batches_of_one_row_stay_numbers():
    numbers = np.array([[0.05, 1], [2.5, 2]] * 60)
    filler = cl.Imputer(settings={"rounds": 1}).fit(numbers)
    assert filler.transform([[np.nan, 2.0]]).tolist() == [[2.5, 2.0]]
    assert filler.transform([[np.nan, 2.0]]).dtype == float
    one = pd.DataFrame(numbers).iloc[[0]].assign(**{"0": np.nan}).set_axis([0, 1, 2], axis=1)[[2, 1]].set_axis([0, 1], axis=1)
    assert cl.Imputer(settings={"rounds": 1}).fit(pd.DataFrame(numbers)).transform(one).dtypes.tolist() == [float, float]


def test_texts_are_not_cut_off():
    network = cl.fit([("x0", "x1")], {"x0": ["a", "b"] * 60, "x1": ["yes", "no"] * 60})
    filled = network.impute(np.array([["a", ""], ["b", "no"]]))
    assert filled.tolist() == [["a", "yes"], ["b", "no"]] and filled.dtype.kind == "U"
    named = np.array([("a", ""), ("b", "no")], [("x0", "U1"), ("x1", "U2")])
    assert network.impute(named)["x1"].tolist() == ["yes", "no"]
    assert network.impute(np.array([["a", None], ["b", "no"]], object)).tolist() == [["a", "yes"], ["b", "no"]]


def test_categories_are_found_by_what_they_mean(mixed):
    frame = pd.DataFrame({"r": ["y", "n", "y", "n"], "whole": [None, 2.0, 1.0, None], "flag": [None, False, True, None]})
    for column in ("whole", "flag"):
        kept = frame[column].astype("category")
        filled = mixed.impute(frame.assign(**{column: kept, "half": 0.5}))[column]
        assert filled.dtype == kept.dtype and filled.tolist() == [kept[2], kept[1], kept[2], kept[1]]
    few = pd.Series([None, 2.0, None, None], dtype=pd.CategoricalDtype([2.0]))
    assert mixed.impute(frame.assign(whole=few, half=0.5))["whole"].tolist() == [1.0, 2.0, 1.0, 2.0]


def test_types_grow_where_they_have_no_room():
    big = cl.fit([("r", "n"), ("r", "t")], {"r": ["y", "n"] * 60, "n": [1000, 2] * 60, "t": ["new", "old"] * 60})
    gaps = {"r": ["y", "n"], "n": [None, 2], "t": [None, "old"]}
    frame = pl.DataFrame(gaps, schema={"r": pl.String, "n": pl.Int8, "t": pl.Enum(["old"])})
    filled = big.impute(frame)
    assert filled["n"].to_list() == [1000, 2] and filled["n"].dtype == pl.Int64
    assert filled["t"].to_list() == ["new", "old"] and filled["t"].dtype == pl.Enum(["old", "new"])
    both = big.impute(frame, draws=2)
    assert both["n"].null_count() == 0 and both.height == 4
    assert big.impute(pd.DataFrame(gaps).astype({"n": "Int8"}))["n"].tolist() == [1000, 2]
    assert big.impute(pa.table(gaps, pa.schema({"r": pa.string(), "n": pa.int8(), "t": pa.string()})))["n"].to_pylist() == [1000, 2]


def test_streams_series_and_decimals():
    network = cl.fit([("r", "n")], {"r": ["y", "n"] * 60, "n": [1, 2] * 60})
    table = pa.table({"r": ["y", "n"], "n": pa.array([None, Decimal("2.00")], pa.decimal128(5, 2))})
    filled = network.impute(table)
    assert filled.schema == table.schema and filled["n"].to_pylist() == [Decimal("1.00"), Decimal("2.00")]
    assert network.impute(table.to_reader()) == filled
    with pytest.warns(cl.DataWarning, match="without a column"):
        one = network.impute(pd.Series(["y", None, "y", "y"], name="r"))
    assert isinstance(one, pd.Series) and one.name == "r" and one.notna().all()
    with pytest.warns(cl.DataWarning, match="without a column"):
        one = network.impute(pl.Series("r", ["y", None, "y", "y"]))
    assert isinstance(one, pl.Series) and one.null_count() == 0
    mixed = network.impute({"r": pa.array(["y", None]), "n": np.array([np.nan, 2.0])}).to_dict()
    assert mixed == {"r": ["y", "n"], "n": [1.0, 2.0]}


def test_times_of_a_zone_in_a_file_are_told(tmp_path):
    """Files keep their times in UTC, and whoever fills gaps from them is told."""
    when = [dt.datetime(2019, 1, 1) + dt.timedelta(hours=5 * k) for k in range(400)]
    way = ["day" if 6 <= at.hour < 18 else "night" for at in when]
    network = cl.learn({"when": when, "way": way}).network
    gaps = pa.array([None if k % 9 == 0 else cell for k, cell in enumerate(way)])
    local = pc.assume_timezone(pa.array(when), "Asia/Tokyo")
    pq.write_table(pa.table({"when": local, "way": gaps}), tmp_path / "zone.parquet")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        network.impute(tmp_path / "zone.parquet")
    assert [str(one.message) for one in told if "zone" in str(one.message) or "Tokyo" in str(one.message)] == [
        "column 'when': its times are those of Asia/Tokyo and are read as those of UTC: turn them into local times first"
    ]
    # The same times in a frame are those that the clocks show, and nothing is to be told.
    assert None not in network.impute(pa.table({"when": local, "way": gaps}))["way"].to_pylist()
