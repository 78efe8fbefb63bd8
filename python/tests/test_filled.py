"""Gaps filled: the same values as on the command line, in the kind of the table."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
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
