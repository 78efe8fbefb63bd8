"""Tables of every kind and type: read right, or refused by the column's name."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import clausality as cl
from clausality import _tables

LETTERS = ["a", "b", "c", "a", "b", "a"] * 20
FLAGS = [True, False, True, True, False, True] * 20
SMALL = [1, 2, 3, 1, 2, 1] * 20
HALVES = [0.5, 1.5, 2.5, 0.5, 1.5, 0.5] * 20
DAYS = [dt.date(2020, 1 + k % 12, 1 + k % 28) for k in range(120)]


def coded(table, **how) -> dict[str, list]:
    """Every cell as the state it becomes."""
    found = cl.inspect(table, **how).coded
    found = found.to_dict(as_series=False) if isinstance(found, pl.DataFrame) else found
    found = found.to_pydict() if isinstance(found, pa.Table) else found
    if isinstance(found, pd.DataFrame):
        found = {name: [None if cell != cell else cell for cell in found[name]] for name in found}
    return found if isinstance(found, dict) else found.to_dict()


STRINGS = [pa.string(), pa.large_string(), pa.string_view()]
KEYS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64()]


@pytest.mark.parametrize("kind", STRINGS + [pa.dictionary(key, pa.string()) for key in KEYS], ids=str)
def test_texts(kind):
    cells = [None if k % 11 == 0 else text for k, text in enumerate(LETTERS)]
    table = pa.table({"x": pa.array(cells).cast(kind) if not pa.types.is_dictionary(kind) else pa.array(cells).dictionary_encode().cast(kind), "y": FLAGS})
    found = coded(table)
    assert found == coded({"x": cells, "y": FLAGS})
    assert found["x"][:4] == [None, "b", "c", "a"] and found["y"][0] == "True"


NUMBERS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()]


@pytest.mark.parametrize("kind", NUMBERS + [pa.decimal128(9, 0), pa.decimal256(9, 0), pa.decimal32(5, 0), pa.decimal64(9, 0)], ids=str)
def test_numbers(kind):
    cells = [None if k % 13 == 0 else number for k, number in enumerate(SMALL)]
    plain = [decimal.Decimal(c) if pa.types.is_decimal(kind) and c is not None else c for c in cells]
    plain = [np.float16(c) if kind == pa.float16() and c is not None else c for c in plain]
    table = pa.table({"x": pa.array(plain, kind), "y": LETTERS})
    assert coded(table) == coded({"x": cells, "y": LETTERS})


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g", ">i4", ">f8", "?"])
def test_numpy_types(kind):
    cells = np.array(SMALL if kind != "?" else FLAGS).astype(kind)
    want = coded({"x": SMALL if kind != "?" else FLAGS, "y": LETTERS})
    assert coded({"x": cells, "y": np.array(LETTERS)}) == want
    assert coded(pd.DataFrame({"x": cells.astype(cells.dtype.newbyteorder("=")), "y": LETTERS})) == want
    structured = np.empty(len(cells), [("x", kind), ("y", "U1")])
    structured["x"], structured["y"] = cells, LETTERS
    assert coded(structured) == want


def test_numpy_arrays():
    square = np.array([SMALL, HALVES]).T
    assert coded(square) == coded({"x0": SMALL, "x1": HALVES})
    assert coded(np.asfortranarray(square)[::-1][::-1]) == coded(square)
    assert cl.inspect(np.array(SMALL)).columns["name"] == ["x0"]
    with pytest.raises(cl.InputError, match="3 dimensions is no table"):
        cl.learn(np.zeros((2, 2, 2)))
    hidden = np.ma.masked_equal(np.array(SMALL), 3)
    assert coded({"x": hidden, "y": LETTERS})["x"][2] is None


WHEN = [dt.datetime(2019, 1, 1) + dt.timedelta(hours=5 * k) for k in range(200)]
WAY = ["up", "down"] * 100


def test_dates_and_times_and_zones():
    want = coded({"when": WHEN, "way": WAY})
    assert any("hour" in name for name in want)
    berlin = pd.Series(WHEN).dt.tz_localize("Europe/Berlin", nonexistent="shift_forward", ambiguous=True)
    arrow = pd.ArrowDtype(pa.timestamp("us", "Europe/Berlin"))
    texts = [when.isoformat() for when in WHEN]
    kinds = {
        "texts": {"when": texts, "way": WAY},
        "aware": {"when": [when.replace(tzinfo=dt.timezone(dt.timedelta(hours=7))) for when in WHEN], "way": WAY},
        "pandas": pd.DataFrame({"when": WHEN, "way": WAY}),
        "pandas zone": pd.DataFrame({"when": berlin, "way": WAY}),
        "pandas objects": pd.DataFrame({"when": pd.Series(WHEN, dtype=object), "way": WAY}),
        "polars": pl.DataFrame({"when": WHEN, "way": WAY}),
        "polars zone": pl.DataFrame({"when": WHEN, "way": WAY}).with_columns(pl.col("when").dt.replace_time_zone("Asia/Tokyo")),
        "pandas arrow zone": pd.DataFrame({"when": berlin.astype(arrow), "way": WAY}),
        "zones in a dict": {"when": pa.array(berlin), "way": WAY},
        "polars in a dict": {"when": pl.Series(WHEN).dt.replace_time_zone("Asia/Tokyo"), "way": WAY},
    }
    for unit in ("s", "ms", "us", "ns"):
        kinds[f"arrow {unit}"] = pa.table({"when": pa.array(WHEN, pa.timestamp(unit)), "way": WAY})
        local = pc.assume_timezone(pa.array(WHEN, pa.timestamp(unit)), "Asia/Tokyo")
        kinds[f"arrow {unit} zone"] = pa.table({"when": local, "way": WAY})
        kinds[f"arrow {unit} stream"] = pa.table({"when": local, "way": WAY}).to_reader(50)
        kinds[f"arrow {unit} batch"] = pa.record_batch({"when": local, "way": WAY})
        kinds[f"numpy {unit}"] = {"when": np.array(WHEN, f"datetime64[{unit}]"), "way": WAY}
    for kind, table in kinds.items():
        assert coded(table) == want, kind


def test_days():
    want = coded({"day": DAYS, "y": LETTERS})
    for kind, table in {
        "texts": {"day": [day.isoformat() for day in DAYS], "y": LETTERS},
        "arrow 32": pa.table({"day": pa.array(DAYS, pa.date32()), "y": LETTERS}),
        "arrow 64": pa.table({"day": pa.array(DAYS, pa.date64()), "y": LETTERS}),
        "polars": pl.DataFrame({"day": DAYS, "y": LETTERS}),
        "pandas": pd.DataFrame({"day": DAYS, "y": LETTERS}),
        "numpy": {"day": np.array(DAYS, "datetime64[D]"), "y": LETTERS},
    }.items():
        assert coded(table) == want, kind


def test_pandas_types():
    want = coded({"x": [None, 2, 3, 1] * 30, "f": [True, None, False, True] * 30, "s": ["u", None, "v", "w"] * 30})
    frame = pd.DataFrame({"x": [None, 2, 3, 1] * 30, "f": pd.Series([True, None, False, True] * 30, dtype=object), "s": ["u", None, "v", "w"] * 30})
    for kinds in (
        {},
        {"x": "Int64", "f": "boolean", "s": "string"},
        {"x": "Int8", "f": "boolean", "s": "string[python]"},
        {"x": "Float32", "f": "boolean", "s": "string[pyarrow]"},
        {"x": "int64[pyarrow]", "f": "bool[pyarrow]", "s": "category"},
        {"x": "category", "f": "category", "s": "object"},
        {"x": "object", "f": "object", "s": "object"},
        {"x": pd.SparseDtype("float64")},
    ):
        assert coded(frame.astype(kinds)) == want, kinds
    assert coded(frame.set_index(pd.Index(range(500, 620), name="id"))) == want, "the index is no column"
    assert coded(frame[frame.index >= 0].iloc[::-1].iloc[::-1]) == want
    assert list(coded(frame.rename(columns={"x": 7}))) == ["7", "f", "s"]


def test_gaps_of_every_kind():
    cells = ["u", None, float("nan"), pd.NA, pd.NaT, np.nan, np.float32("nan"), decimal.Decimal("nan"), np.datetime64("NaT"), "v"] * 12
    found = coded({"x": cells, "y": LETTERS})
    assert found["x"][:10] == ["u"] + [None] * 8 + ["v"]
    assert coded(pd.DataFrame({"x": cells, "y": LETTERS}))["x"][:10] == found["x"][:10] or pd.isna(coded(pd.DataFrame({"x": cells, "y": LETTERS}))["x"][1])


def test_mixed_objects():
    cells = ["u", 1, 2.0, True, decimal.Decimal("1.5"), np.int16(1), np.float32(0.1), None] * 15
    want = ["u", "1", "2", "true", "1.5", "1", "0.1", None]
    assert coded({"x": cells, "y": LETTERS})["x"][:8] == want
    names = [uuid.UUID(int=k % 3) for k in range(120)]
    assert coded({"x": names, "y": LETTERS})["x"][0] == str(uuid.UUID(int=0))


def test_a_list_of_what_hands_over_streams():
    want = coded({"x": SMALL, "y": LETTERS})
    arrow = pa.table({"x": SMALL, "y": LETTERS})
    connection = duckdb.connect()
    tables = {
        "table": arrow,
        "batch": arrow.to_batches()[0],
        "reader": arrow.to_reader(max_chunksize=7),
        "chunks": pa.Table.from_batches(arrow.to_batches(max_chunksize=11)),
        "duckdb": connection.from_arrow(arrow),
        "lazy": pl.DataFrame(arrow).lazy(),
        "columns": {"x": arrow["x"], "y": pl.Series(LETTERS)},
        "columns in chunks": {"x": pa.chunked_array([SMALL[:50], SMALL[50:]]), "y": pd.Series(LETTERS)},
        "tuple": {"x": tuple(SMALL), "y": iter(LETTERS)},
    }
    for kind, table in tables.items():
        assert coded(table) == want, kind


class Struct:
    """Somebody's table that hands over one array of structs."""

    def __init__(self, batch):
        self.batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self.batch.__arrow_c_array__(requested_schema)


def test_an_array_of_structs():
    batch = pa.record_batch({"x": SMALL, "y": LETTERS})
    assert coded(Struct(batch)) == coded({"x": SMALL, "y": LETTERS})
    with pytest.raises(cl.InputError, match="no table: expected one of structs"):
        cl.learn(Struct(pa.array(SMALL)))


REFUSED = {
    "lists": [[1], [2]] * 60,
    "structs": [{"k": 1}] * 120,
    "bytes": [b"u", b"v"] * 60,
    "times": [dt.time(1)] * 120,
    "spans": [dt.timedelta(1)] * 120,
    "complex": [1j] * 120,
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_read_is_refused_by_the_name_of_its_column(kind):
    cells = REFUSED[kind]
    tables = [{"fine": LETTERS, "odd one": cells}, pd.DataFrame({"fine": LETTERS, "odd one": cells})]
    if kind != "complex":
        tables += [pa.table({"fine": LETTERS, "odd one": cells}), pl.DataFrame({"fine": LETTERS, "odd one": cells})]
    for table in tables:
        with pytest.raises(cl.InputError, match="odd one"):
            cl.learn(table)
        assert cl.inspect(table, type={"odd one": "ignore"}).rows == 120, "what is not needed is not read"


def test_columns_and_tables_that_are_none():
    with pytest.raises(cl.InputError, match="column 'b' has 2 rows, but column 'a' has 3 rows"):
        cl.learn({"a": [1, 2, 3], "b": [1, 2]})
    with pytest.raises(cl.InputError, match="'a' is no list of cells but str"):
        cl.learn({"a": "text"})
    with pytest.raises(cl.InputError, match="cannot be read from int"):
        cl.learn(7)
    with pytest.raises(cl.InputError, match="two columns are called 'a'"):
        cl.learn(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(cl.InputError, match="nothing.csv: there is no such file"):
        cl.learn("nothing.csv")


def test_frames_come_out_in_the_kind_that_went_in(rows):
    for table, kind in (
        (rows.to_pandas(), pd.DataFrame),
        (rows.to_polars(), pl.DataFrame),
        (rows.to_arrow(), pa.Table),
        (rows, cl.Frame),
        (rows.to_dict(), cl.Frame),
    ):
        run = cl.learn(table)
        for frame in (run.arcs, run.strengths, run.trace, run.network.sample(5), run.network.cpt("lung"), cl.inspect(table).columns):
            assert type(frame) is kind
        assert type(run.network.score(table).surprise) is kind
    assert list(run.arcs) == cl._run.EDGES and list(run.strengths) == cl._run.STRENGTHS


def test_paths_of_files_with_types(rows, tmp_path):
    import pyarrow.feather
    import pyarrow.parquet

    arrow = rows.to_arrow()
    pyarrow.parquet.write_table(arrow, tmp_path / "t.parquet")
    pyarrow.feather.write_feather(arrow, tmp_path / "t.feather")
    want = cl.learn(rows, name="t").network
    for name in ("t.parquet", "t.feather"):
        assert cl.learn(tmp_path / name, name="t").network == want


UNREADABLE = {
    "bytes": pa.array([b"a", b"b"] * 60),
    "lists": pa.array([[1], [2]] * 60),
    "runs": pa.RunEndEncodedArray.from_arrays([60, 120], ["a", "b"]),
    "polars": pl.Series([b"a", b"b"] * 60),
    "chunked": pa.chunked_array([pa.array([b"a", b"b"] * 60)]),
    "pandas": pd.Series([b"a", b"b"] * 60, dtype=pd.ArrowDtype(pa.binary())),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_types_that_cannot_be_read_are_no_gaps(kind):
    with pytest.raises(cl.InputError, match="^table: column 'odd' has the type .*which is neither text, number"):
        cl.inspect({"odd": UNREADABLE[kind], "letter": LETTERS})
    assert coded({"odd": UNREADABLE[kind], "letter": LETTERS}, type={"odd": "ignore"}) == {"letter": LETTERS}


def test_what_only_polars_knows():
    frame = pl.DataFrame({"none": [None] * 120, "long": pl.Series(SMALL, dtype=pl.Int128), "letter": LETTERS})
    want = coded({"none": [None] * 120, "long": SMALL, "letter": LETTERS})
    assert coded(frame) == coded({name: frame[name] for name in frame.columns}) == want


def test_one_arrow_column_is_no_table():
    for column in (pa.array(LETTERS), pa.chunked_array([LETTERS])):
        with pytest.raises(cl.InputError, match="one column without a name: give it one"):
            cl.inspect(column)


class Stream:
    """Rows of somebody whose library is not known here."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_zones_that_stay_in_utc_are_warned_of(monkeypatch):
    local = pc.assume_timezone(pa.array(WHEN), "Asia/Tokyo")
    stream = Stream(pa.table({"when": local, "way": WAY}))
    assert coded(stream) == coded({"when": WHEN, "way": WAY})
    monkeypatch.delitem(__import__("sys").modules, "pyarrow")
    with pytest.warns(cl.DataWarning, match="column 'when': its times are those of Asia/Tokyo and are read as those of UTC"):
        cl.inspect(stream)


def test_a_table_of_which_nothing_is_left():
    about = cl.inspect({"a": [1] * 200, "b": [2] * 200})
    assert about.columns["decision"] == ["dropped", "dropped"] and about.coded.columns == []


@pytest.mark.parametrize("names", [(1, "1"), (" a", "a")])
def test_two_columns_of_one_name(names):
    with pytest.raises(cl.InputError, match="two columns are called '[1a]'"):
        cl.inspect(dict.fromkeys(names, LETTERS))
    with pytest.raises(cl.InputError, match="two columns are called '[1a]'"):
        cl.BayesianNetwork().fit(dict.fromkeys(names, LETTERS))


def test_halves_of_characters_are_refused_by_name():
    with pytest.raises(cl.InputError, match="column 'odd': .*surrogates not allowed"):
        cl.inspect({"odd": ["\ud800"] * 120, "letter": LETTERS})
    with pytest.raises(cl.InputError, match="name of a column: '.ud800' is no valid Unicode"):
        cl.inspect({"\ud800": LETTERS, "letter": LETTERS})


def test_a_polars_frame_in_slices(monkeypatch):
    columns = {"n": list(range(300)), "x": [k / 8 for k in range(300)], "t": ["low", "high", None] * 100}
    kinds = {"t": pl.Enum(["low", "high"])}
    frame = pl.concat([pl.DataFrame(columns, schema_overrides=kinds)[k : k + 50] for k in range(0, 300, 50)], rechunk=False)
    want = cl.inspect(frame, type={"n": "keep"})
    monkeypatch.setattr(_tables.Slices, "ROWS", 7)
    found = cl.inspect(frame, type={"n": "keep"})
    assert frame.n_chunks() == 6 and found.coding == want.coding and found.coded.to_dict(as_series=False) == want.coded.to_dict(as_series=False)
    with pytest.raises(cl.InputError, match="no data rows"):
        cl.inspect(frame.clear())


def test_a_polars_frame_is_not_copied():
    frame = pl.concat([pl.DataFrame({"a": np.arange(500_000) % 7 + k, "b": np.arange(500_000) / 3}) for k in (0, 1)], rechunk=False)
    slices = list(_tables.table(frame).source.slices)
    assert sum(part.height for part in slices) == 1_000_000 and max(part.height for part in slices) == 1 << 14


def test_nul_bytes_are_refused_where_they_stand():
    texts = ["a", "b"] * 40 + ["c\0d"] + ["a"] * 9
    for table in [{"t": texts}, pd.DataFrame({"t": texts}), pl.DataFrame({"t": texts}), pa.table({"t": pa.array(texts).dictionary_encode()})]:
        with pytest.raises(cl.InputError, match="column 't', row 81: a NUL byte"):
            cl.inspect(table)


def test_zones_in_files_are_told_of(tmp_path):
    when = pd.date_range("2020-01-01", periods=200, freq="7h", tz="Asia/Tokyo")
    path = tmp_path / "t.parquet"
    pd.DataFrame({"when": when, "y": ["a", "b"] * 100}).to_parquet(path)
    told = [text for text in cl.inspect(path).warnings if "Asia/Tokyo" in text]
    assert told == ["column 'when': its times are those of Asia/Tokyo and are read as those of UTC: turn them into local times first"]


@pytest.mark.parametrize("bins", [-1, 0, 51, 1.5, "many", {"n": -1}])
def test_bins_outside_their_range(bins):
    with pytest.raises(cl.InputError, match="between 2 and 50"):
        cl.inspect({"n": [k / 3 for k in range(100)], "y": ["a", "b"] * 50}, bins=bins)


@pytest.mark.parametrize("kind", ["series", "column"])
def test_chunks_are_put_together_in_memory_that_everybody_shares(kind):
    """pyarrow's own allocator keeps many times what a piece needs."""
    chunks = pa.chunked_array([pa.array([f"a long text, number {k % 5}" for k in range(7000)])] * 10)
    other = ["x", "y"] * 35_000
    table = {"text": pd.arrays.ArrowExtensionArray(chunks) if kind == "series" else chunks, "other": other}
    table = pd.DataFrame(table) if kind == "series" else table
    pool = pa.default_memory_pool()
    before = pool.total_bytes_allocated()
    assert cl.inspect(table).columns["distinct"][0] == 5
    assert pool.total_bytes_allocated() - before < 100_000


def test_categories_of_narrow_floats_are_called_by_their_digits():
    sizes = pd.Series([3.2, 4.5, 0.1] * 40, dtype="float32")
    want = coded({"x": ["3.2", "4.5", "0.1"] * 40, "y": [True, False] * 60})["x"]
    assert coded(pd.DataFrame({"x": sizes.astype("category"), "y": [True, False] * 60}))["x"] == want
