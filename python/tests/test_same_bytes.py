"""The law: the same table gives the same bytes, whatever it comes in, here and on the command line."""

from __future__ import annotations

import csv
import io
import string
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

import clausality as cl
from clausality._cells import number_text


def bytes_of(table, **how) -> bytes:
    """``network.json`` of what is learned; or the message of the refusal, which must be the same too."""
    try:
        return cl.learn(table, name="t.csv", **how).network.to_bytes()
    except cl.InputError as error:
        return str(error).encode()


def csv_text(columns: dict[str, list], truths: tuple[str, str] = ("true", "false")) -> str:
    """The table as we write CSV: numbers by value, truth values as true and false (as polars does, or as others do), gaps empty."""

    def cell(value) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return truths[not value]
        if isinstance(value, float):
            return number_text(value) or ""
        return str(value).removesuffix(" 00:00:00")

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(value) for value in row] for row in zip(*columns.values()))
    return out.getvalue()


ROWS = 40
texts = st.sampled_from(["red", "green", "blue", "a b", "ü", "0x1", "-", "x,y", 'q"q', "1e", "yes"])
whole = st.integers(-5, 30) | st.integers(-(10**17), 10**17)
floats = st.sampled_from([0.5, 1.0, -2.0, 1e-7, 3.25, 1e15, 123456789.0, -0.0, 0.1]) | st.floats(
    allow_infinity=False, allow_nan=False, width=32
)
instants = st.integers(0, 40_000).map(lambda hours: datetime(2015, 1, 1) + timedelta(hours=hours))


def column(kind: st.SearchStrategy) -> st.SearchStrategy:
    """Cells of one kind from a few different values, some of them gaps."""
    values = st.lists(kind, min_size=2, max_size=12)
    gaps = st.sampled_from([0, 0, 5])

    def cells(drawn):
        pool, gap, places = drawn
        return [None if gap and place % 7 < gap // 5 else pool[place % len(pool)] for place in places]

    places = st.lists(st.integers(0, 200), min_size=ROWS, max_size=ROWS)
    return st.tuples(values, gaps, places).map(cells)


tables = st.dictionaries(
    st.text(string.ascii_letters, min_size=1, max_size=4),
    st.one_of(column(texts), column(whole), column(floats), column(st.booleans()), column(instants)),
    min_size=2,
    max_size=5,
)


def in_every_kind(columns: dict[str, list]) -> dict[str, object]:
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})
    # Left to itself, pandas makes integers of floats that are whole.
    measured = {name for name, cells in columns.items() if any(isinstance(cell, float) for cell in cells)}
    # And it rounds whole numbers beyond 2^53 where there are gaps.
    counted = {name for name, cells in columns.items() if any(type(cell) is int for cell in cells)} - measured
    kinds = {**dict.fromkeys(measured, "Float64"), **dict.fromkeys(counted, "Int64")}
    nullable = frame.convert_dtypes().assign(**{name: frame[name].astype(kind) for name, kind in kinds.items()})
    kinds = {
        "dict": columns,
        "pandas objects": frame,
        "pandas nullable": nullable,
        # Numbers that are categories are names.
        "pandas categories": frame.astype({name: "category" for name in frame if all(isinstance(cell, str) for cell in columns[name])}),
        "polars": pl.DataFrame(columns, strict=False),
        "arrow": pa.table({name: pa.array(cells) for name, cells in columns.items()}),
    }
    kinds["pandas arrow"] = kinds["arrow"].to_pandas(types_mapper=pd.ArrowDtype)
    kinds["frame of our own"] = cl.Frame(columns)
    return kinds


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables)
@example({"A": ["red"] * ROWS, "B": [datetime(2015, 1, 1)] * (ROWS - 1) + [datetime(2015, 1, 10)]})
def test_the_same_table_in_every_kind_gives_the_same_bytes(tmp_path_factory, columns):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text(csv_text(columns), encoding="utf-8")
    want = bytes_of(path)
    want = want.replace(str(path).encode(), b"t.csv")
    for kind, table in in_every_kind(columns).items():
        assert bytes_of(table) == want, kind
    path.write_text(csv_text(columns, ("True", "False")), encoding="utf-8")
    assert bytes_of(path).replace(str(path).encode(), b"t.csv") == want, "truth values as pandas writes them"


def test_large_tables_come_in_pieces():
    """More rows than are handed over at a time, with objects that change their kind on the way."""
    n = 150_000
    rng = np.random.default_rng(1)
    a = rng.integers(0, 3, n)
    columns = {"a": a, "b": (a + (rng.random(n) < 0.2)) % 3, "x": rng.normal(size=n)}
    frame = pd.DataFrame(columns)
    want = bytes_of(frame)
    assert want == bytes_of(pl.DataFrame(columns)) == bytes_of(pa.table(columns)) == bytes_of(columns)
    late = frame.astype(object)
    assert bytes_of(late) == want


def long_columns(n: int) -> dict[str, list]:
    """Columns of every kind and many values: these are left in a frame until their turn comes."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 90_000, n), rng.integers(0, 50_000, n)
    level = rng.integers(0, 4, n)
    days = [(datetime(2015, 1, 1) + timedelta(days=int(day))).date().isoformat() for day in rng.integers(0, 3000, n)]
    some = [None if k % 11 == 0 else float(v) for k, v in enumerate(rng.normal(size=n).round(2) + level)]
    return {
        "id": [f"c{k:06}" for k in range(n)],
        "a": a.tolist(),
        "b": b.tolist(),
        "total": (a + b).tolist(),
        "x": (rng.random(n) + level).tolist(),
        "some": some,
        "level": [["low", "middle", "high", "top"][k] for k in level],
        "day": days,
        "names": [f"n{k}" for k in rng.integers(0, 400, n)],
        # Few values at first, many later, and texts among the numbers at the end.
        "late": [int(v) for v in rng.integers(0, 20, n // 2)] + [int(v) for v in rng.integers(0, 900, n - n // 2)],
        "mixed": [str(v) for v in rng.integers(0, 9000, n - 1)] + ["none of these"],
    }


@pytest.mark.parametrize("how", [{}, {"missing": "state"}, {"missing": "drop"}, {"discretize": "mdl"}, {"bins": {"x": 7}, "type": {"id": "keep"}}])
def test_long_tables_are_read_column_by_column(tmp_path, how):
    columns = long_columns(70_000)
    path = tmp_path / "t.csv"
    path.write_text(csv_text(columns), encoding="utf-8")
    want = {**cl.inspect(path, **how).document, "table": "t.csv"}
    assert any(twin["name"] == "total" for twin in want["twins"]), "a sum of two columns that were put apart"
    frame = pd.DataFrame(columns)
    arrow = pa.table(columns)
    kinds = {
        "pandas": frame,
        "pandas nullable": frame.convert_dtypes(),
        "polars": pl.DataFrame(columns),
        "arrow": arrow,
        "arrow in chunks": pa.concat_tables([arrow.slice(0, 30_000), arrow.slice(30_000)]),
        "a reader": arrow.to_reader(),
    }
    for kind, table in kinds.items():
        assert {**cl.inspect(table, name="t.csv", **how).document, "table": "t.csv"} == want, kind


def test_long_tables_are_learned_to_the_same_bytes(tmp_path):
    columns = long_columns(70_000)
    path = tmp_path / "t.csv"
    path.write_text(csv_text(columns), encoding="utf-8")
    how = {"assembler": "chow-liu", "rounds": 1, "discretize": "mdl"}
    want = bytes_of(path, **how)
    assert bytes_of(pd.DataFrame(columns), **how) == bytes_of(pl.DataFrame(columns), **how) == bytes_of(pa.table(columns), **how) == want


def test_ordered_categories_bring_their_order(tmp_path):
    sizes = ["small", "large", "medium", "small", "medium", "large"] * 40
    other = ["x", "y", "y", "x", "x", "y"] * 40
    order = ["small", "medium", "large"]
    frame = pd.DataFrame({"size": pd.Categorical(sizes, order, ordered=True), "other": other})
    network = cl.learn(frame).network
    assert network.states("size") == order
    assert network.document["nodes"][0]["scale"] == "ordered"
    arrow = pa.table({"size": pa.DictionaryArray.from_arrays([order.index(s) for s in sizes], order, ordered=True), "other": other})
    assert cl.learn(arrow).network == network
    enum = pl.DataFrame({"size": pl.Series(sizes, dtype=pl.Enum(order)), "other": other})
    assert cl.learn(enum).network == network
    path = tmp_path / "t.csv"
    path.write_text(csv_text({"size": sizes, "other": other}))
    assert cl.learn(path, levels={"size": order}).network.states("size") == order
    # Without an order they are names, and what the user says comes first.
    unordered = frame.assign(size=pd.Categorical(sizes, order))
    assert "scale" not in cl.learn(unordered).network.document["nodes"][0]
    assert "scale" not in cl.learn(frame, type={"size": "categorical"}).network.document["nodes"][0]


def test_the_command_line_gives_the_same_bytes(command, asia, tmp_path):
    table = tmp_path / "asia.csv"
    sample = asia.sample(1200, seed=5)
    table.write_text(csv_text(sample.to_dict()))
    asked = ["--parameter", "smoke,asia", "--forbid", "xray>dysp", "--max-parents", "3", "--seed", "9", "--bootstrap", "3"]
    command("learn", table, *asked, "--run", tmp_path / "run", "--quiet")
    run = cl.learn(
        sample, name=str(table), parameters=["smoke", "asia"], forbid=[("xray", "dysp")], max_parents=3, seed=9, bootstrap=3
    )
    run.save(tmp_path / "ours")
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {path.name for path in (tmp_path / "ours").iterdir()}
    for name in names - {"run.json", "report.html"}:  # those say how long it took
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "ours" / name).read_bytes(), name
    theirs, ours = cl.read(tmp_path / "run").document, dict(run.document)
    assert theirs.pop("seconds") and ours.pop("seconds")
    assert theirs == ours


@pytest.mark.parametrize("how", [dict(profile="paper", rounds=2), dict(assembler="pc"), dict(missing="state", bins={"x": 3})])
def test_settings_mean_what_they_mean_on_the_command_line(command, tmp_path, how):
    rng = np.random.default_rng(2)
    x = rng.normal(size=400).round(3)
    columns = {
        "x": [None if k % 9 == 0 else float(v) for k, v in enumerate(x)],
        "up": ["yes" if v > 0 else "no" for v in x],
        "c": [str(v) for v in rng.integers(0, 3, 400)],
    }
    table = tmp_path / "t.csv"
    table.write_text(csv_text(columns))
    flags = []
    for name, value in how.items():
        texts = [f"{column}={entry}" for column, entry in value.items()] if isinstance(value, dict) else [value]
        flags += [part for text in texts for part in (f"--{name.replace('_', '-')}", text)]
    command("learn", table, *flags, "-o", tmp_path / "n.json", "--quiet")
    assert cl.learn(table, **how).network.to_bytes() == (tmp_path / "n.json").read_bytes()
    assert cl.learn(columns, name=str(table), **how).network.to_bytes() == (tmp_path / "n.json").read_bytes()


def test_threads_change_nothing(rows):
    assert len({cl.learn(rows, threads=threads).network.to_bytes() for threads in (1, 2, None)}) == 1


def test_an_empty_table_is_refused():
    for table in ({}, {"a": [], "b": []}, pd.DataFrame(), pl.DataFrame(), pd.DataFrame({"a": [], "b": []})):
        with pytest.raises(cl.InputError):
            cl.learn(table)
