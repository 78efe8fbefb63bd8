"""Tables that come in: from whatever people have to what the compiled core reads.

Everything becomes one of three things: a path, an object with ``__arrow_c_stream__`` (handed on as it is, no copy), or :class:`Pieces`, which
cuts columns of Python objects and NumPy arrays into pieces of rows. No library is imported here that the table did not bring along.

The law: a cell means the same wherever it comes from. A number is the number, whatever its width; a truth value is ``true`` or ``false``; a date is
what the clocks of its zone show; a duration is its number of seconds; None, NaN, NaT and NA are gaps; anything else that is no text is refused
by its column's name.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator

from clausality import _arguments
from clausality._cells import UTC, Refuse, cell_text, named, no_cell, refuser
from clausality._clausality import InputError

#: Rows that are handed over at a time.
PIECE = 1 << 14

#: What a table without a file is called.
UNNAMED = "table"


@dataclass(frozen=True)
class Table:
    """A table that is ready to be handed to the core."""

    source: Any
    name: str
    #: Which library frames should come out in: "pandas", "polars", "pyarrow", "numpy", or none of them.
    kind: str | None
    #: The index of a pandas frame, for what comes out row by row.
    index: Any = None


def table(given: Any, name: str | None = None) -> Table:
    """What the core takes for a table that somebody has."""
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        return Table(path, path if name is None else _arguments.text("name", name), None)
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, (str, os.PathLike)) for one in given):
        files = [os.fsdecode(one) for one in given]
        several = f"{files[0]} and {len(files) - 1} more" if len(files) > 1 else files[0]
        return Table(files, several if name is None else _arguments.text("name", name), None)
    if isinstance(given, (list, tuple)):
        if not given:
            raise InputError("a table cannot be read from an empty list: expected the paths of its files")
        wrong = [one for one in given if not isinstance(one, (str, os.PathLike))]
        if len(wrong) < len(given) or hasattr(wrong[0], "columns"):
            raise InputError(f"a list is a table in several files, and {named(type(wrong[0]))} in it is no path: join frames first (pandas.concat)")
    name = UNNAMED if name is None else _arguments.text("name", name)
    if hasattr(given, "npartitions") and hasattr(given, "to_parquet"):
        return _of_dask(given, name)
    kind = _kind(given)
    if kind == "pandas":
        return Table(_of_pandas(given, name), name, kind, given.index)
    if kind == "polars":
        if hasattr(given, "collect"):
            given = given.collect()
        if not hasattr(given, "columns"):
            given = given.to_frame()
        return Table(Slices(given), name, kind)
    if type(given).__name__ in ("Array", "ChunkedArray") or (kind == "pyarrow" and type(given).__name__.endswith("Array")):
        if not str(given.type).startswith("struct"):
            raise InputError(f"{name}: {named(type(given))} is one column without a name: give it one, such as {{'x': column}}")
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
        return Table(_again(_in_local_time(given)), name, kind)
    if hasattr(given, "scanner"):  # a pyarrow Dataset
        return Table(_in_local_time(given.scanner().to_reader()), name, kind)
    if _is_numpy(given):
        return Table(_of_numpy(given, name), name, "numpy")
    if isinstance(given, dict):
        return Table(Pieces(_columns(((key, cells) for key, cells in given.items()), _column, name), name), name, None)
    raise InputError(
        f"a table cannot be read from {named(type(given))}: expected a path or a list of paths, a pandas, polars, pyarrow or Dask frame, "
        "an object with __arrow_c_stream__, a NumPy array or a dict of columns"
    )


def _of_dask(frame: Any, name: str) -> Table:
    """A frame of Dask as files: whoever makes a partition writes it, and nobody ever holds all of them."""
    import dask

    folder = tempfile.mkdtemp(prefix=".clausality-", dir=dask.config.get("temporary-directory", None))
    try:
        frame.to_parquet(folder, write_index=False)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    files = Table(folder, name, "pandas")
    weakref.finalize(files, shutil.rmtree, folder, ignore_errors=True)
    return files


def _again(given: Any) -> Any:
    """A table of pyarrow as what can be handed over twice; others, such as readers, are gone once they are read."""
    pyarrow = sys.modules.get("pyarrow")
    return Held(given) if pyarrow is not None and isinstance(given, pyarrow.Table) else given


def _kind(given: Any) -> str | None:
    """The library that a frame belongs to, by the name of its type's module: nothing is imported to find out."""
    for base in type(given).__mro__:
        library = base.__module__.partition(".")[0]
        if library == "pandas" and base.__name__ in ("DataFrame", "Series"):
            return "pandas"
        if library == "polars" and base.__name__ in ("DataFrame", "LazyFrame", "Series"):
            return "polars"
        if library in ("pyarrow", "duckdb", "_duckdb"):
            return "pyarrow" if "pyarrow" in sys.modules or library == "pyarrow" else None
    return None


def _is_numpy(given: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(given, numpy.ndarray)


def _columns(labelled: Iterable[tuple[Any, Any]], column: Callable[[Any, Any, str], Column], table: str) -> dict[str, Column]:
    """Columns by the texts of their labels; two that are called the same are refused."""
    columns: dict[str, Column] = {}
    for label, cells in labelled:
        name = name_text(label)
        if name in columns:
            raise InputError(f"{table}: two columns are called '{name}': give every column a name of its own")
        columns[name] = column(name, cells, table)
    return columns


def name_text(label: Any) -> str:
    """The name of a column as the core reads it: the text of its label, without blanks at the ends."""
    return _arguments.text("the name of a column", label if isinstance(label, str) else str(label)).strip()


def _of_polars(series: Any) -> Any:
    """A polars series as others read it: times as the clocks of their zone show them, with their offset, and in words what only polars knows."""
    kind = type(series.dtype).__name__ if not isinstance(series.dtype, type) else series.dtype.__name__
    zone = getattr(series.dtype, "time_zone", None)
    if zone is not None:
        return series.dt.replace_time_zone(None) if zone in UTC else series.dt.strftime("%Y-%m-%dT%H:%M:%S%.f%z")
    if kind in ("Null", "Int128", "UInt128"):
        import polars

        return series.cast(polars.String)
    return series


def _is_zoned(kind: Any) -> bool:
    return getattr(kind, "tz", None) is not None


def _localized(cells: Any) -> Any:
    """Cells of pyarrow: times of a zone as its clocks show them, with their offset, where the rules of the zone are known; else as they are."""
    if not _is_zoned(getattr(cells, "type", None)):
        return cells
    import pyarrow
    import pyarrow.compute

    try:
        if cells.type.tz in UTC:
            return pyarrow.compute.local_timestamp(cells)
        try:
            cells = cells.cast(pyarrow.timestamp("s", cells.type.tz))
        except pyarrow.ArrowInvalid:  # fractions of a second, which are written too
            pass
        return pyarrow.compute.strftime(cells, format="%Y-%m-%dT%H:%M:%S%z")
    except pyarrow.ArrowInvalid:  # no such zone: the core warns of it
        return cells


def _in_local_time(given: Any) -> Any:
    """An Arrow table or stream whose times are those that the clocks of their zones show, with their offsets.

    That takes pyarrow, which most who have zones have loaded; the core warns of what stays in UTC.
    """
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None or type(given).__module__.startswith("clausality"):
        return given
    if not isinstance(given, pyarrow.Table):
        if hasattr(given, "schema") and hasattr(given.schema, "types"):
            if not any(map(_is_zoned, given.schema.types)):
                return given
        elif not hasattr(given, "__arrow_c_stream__") or not hasattr(pyarrow.RecordBatchReader, "from_stream"):
            return given
        else:
            given = pyarrow.RecordBatchReader.from_stream(given)
    schema = given.schema
    zoned = [place for place, kind in enumerate(schema.types) if _is_zoned(kind)]
    if not zoned:
        return given

    def local(rows: Any) -> Any:
        for place in zoned:
            rows = rows.set_column(place, rows.schema.field(place).name, _localized(rows.column(place)))
        return rows

    if not hasattr(given, "read_next_batch"):
        return local(given)
    first = local(pyarrow.RecordBatch.from_pylist([], schema=schema))
    return pyarrow.RecordBatchReader.from_batches(first.schema, (local(batch) for batch in given))


class Slices:
    """A polars frame, handed over a few rows at a time: all at once it would first be copied into one piece."""

    ROWS = 1 << 14

    def __init__(self, frame: Any):
        self._frame = frame

    @property
    def slices(self) -> Iterator[Any]:
        parts = iter((self._frame,)) if self._frame.height == 0 else self._frame.iter_slices(self.ROWS)
        return (part.with_columns([_of_polars(series) for series in part.get_columns()]) for part in parts)

    @property
    def rows(self) -> int:
        return self._frame.height

    def column_again(self, place: int) -> Slices:
        """A column alone, for whoever reads one after the other."""
        return Slices(self._frame.select(self._frame.columns[place]))


class Held:
    """An Arrow table in memory, which can be handed over again."""

    def __init__(self, table: Any):
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    @property
    def rows(self) -> int:
        return self._table.num_rows

    def column_again(self, place: int) -> Any:
        """A column alone, for whoever reads one after the other."""
        return self._table.select([place])


class Pieces:
    """Columns that are cut into pieces of rows while they are read.

    Each column is a length and a function that gives the cells from one row to another, in one of the forms that the core takes.
    """

    def __init__(self, columns: dict[str, Column], name: str):
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            first, *_ = columns
            for other, column in columns.items():
                if len(column) != len(columns[first]):
                    raise InputError(
                        f"{name}: column '{other}' has {_rows(len(column))}, but column '{first}' has {_rows(len(columns[first]))}: every column "
                        "needs a cell for every row of the table (None where there is no value)"
                    )
        self.names = list(columns)
        #: Of columns that are places in a list: the labels, and whether they stand in an order.
        self.labelled = [(name, column.labels, column.ordered) for name, column in columns.items() if column.labels]
        self.columns = list(columns.values())
        self.rows = lengths.pop() if lengths else 0

    def piece(self, start: int, places: list[int]) -> tuple[int, list[tuple]]:
        """Some rows from one on, of the columns at these places: what is not needed is not looked at."""
        stop = min(start + PIECE, self.rows)
        return stop - start, [self.columns[place].cut(start, stop) for place in places]


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def whole(columns: dict[str, Any]) -> tuple[list[str], int, list[tuple]]:
    """Names, rows and columns in one piece."""
    made = _columns(columns.items(), _column, UNNAMED)
    rows = len(next(iter(made.values()), ()))
    return list(made), rows, [column.cut(0, rows) for column in made.values()]


class Column:
    """The cells of a column, to be cut."""

    def __init__(self, rows: int, cut: Callable[[int, int], tuple], labels: list[str] | None = None, ordered: bool = False):
        self.rows = rows
        self.cut = cut
        #: What its categories are called, and whether they stand in an order.
        self.labels, self.ordered = labels, ordered

    def __len__(self) -> int:
        return self.rows


def _column(name: Any, cells: Any, table: str) -> Column:
    """A column of whatever kind."""
    kind = _kind(cells)
    if kind == "pandas":
        return _of_series(cells, refuser(table, name))
    if kind == "polars":
        return _column(name, _of_polars(cells).to_arrow(), table)
    cells = _localized(cells)
    if hasattr(cells, "__arrow_c_array__"):
        return Column(len(cells), lambda start, stop: ("arrow", cells[start:stop]))
    if hasattr(cells, "combine_chunks"):  # a pyarrow ChunkedArray
        return Column(len(cells), lambda start, stop: ("arrow", _in_one(cells[start:stop])))
    if _is_numpy(cells):
        if cells.ndim != 1:
            raise InputError(f"{table}: column '{name}' has {cells.ndim} dimensions: a column has one")
        return _of_array(cells, refuser(table, name))
    if isinstance(cells, (str, bytes, dict)) or not hasattr(cells, "__iter__"):
        raise InputError(f"{table}: column '{name}' is no list of cells but {named(type(cells))}")
    return _of_objects(list(cells))


def _in_one(cells: Any) -> Any:
    """Cells of pyarrow as one array. Putting chunks together is a copy, for which pyarrow's own allocator would take and keep many times what
    a piece needs."""
    if not hasattr(cells, "chunks"):
        return cells
    if cells.num_chunks < 2:
        return cells.chunk(0) if cells.num_chunks else cells.combine_chunks()
    import pyarrow

    return pyarrow.concat_arrays(cells.chunks, memory_pool=pyarrow.system_memory_pool())


# Python objects


def _of_objects(cells: list) -> Column:
    return Column(len(cells), lambda start, stop: _objects(cells[start:stop], start))


def _objects(cells: list, start: int) -> tuple:
    # Most are texts, and the core sees that sooner than anybody here.
    return ("objects", cells, lambda: _no_texts(cells, start))


def _no_texts(cells: list, start: int) -> tuple:
    """Cells from a row on that are not all texts."""

    def refuse(value: Any) -> InputError:  # the core says in which column
        row = next((start + place for place, cell in enumerate(cells) if cell is value), None)
        return InputError(f"{'it' if row is None else f'row {row:,} (counted from 0)'} holds {no_cell(value)}")

    if set(map(type, cells)) <= {float, type(None)}:
        from array import array

        numbers = array("d", [float("nan") if cell is None else cell for cell in cells])
        return ("values", "g", numbers.tobytes(), None)
    return ("texts", [cell_text(cell, refuse) for cell in cells])


# NumPy


def _of_numpy(array: Any, name: str) -> Pieces:
    if array.dtype.names:
        columns = _columns(((field, array[field]) for field in array.dtype.names), _column, name)
    elif array.ndim == 1:
        columns = {"x0": _column("x0", array, name)}
    elif array.ndim == 2:
        columns = {f"x{k}": _column(f"x{k}", array[:, k], name) for k in range(array.shape[1])}
    else:
        raise InputError(f"{name}: an array of {array.ndim} dimensions is no table: expected rows and columns")
    return Pieces(columns, name)


#: Arrow's letters for NumPy's numbers.
FORMATS = {"i1": "c", "u1": "C", "i2": "s", "u2": "S", "i4": "i", "u4": "I", "i8": "l", "u8": "L", "f2": "e", "f4": "f", "f8": "g"}
#: The same for instants and for durations, by their unit.
TIMES = {
    "M": {"s": "tss:", "ms": "tsm:", "us": "tsu:", "ns": "tsn:"},
    "m": {"s": "tDs", "ms": "tDm", "us": "tDu", "ns": "tDn"},
}


def _of_array(array: Any, refuse: Refuse, mask: Any = None) -> Column:
    """A NumPy array of one dimension; the mask says where cells have no value."""
    import numpy

    if isinstance(array, numpy.ma.MaskedArray):
        hidden = numpy.ma.getmaskarray(array)
        mask = hidden if mask is None else mask | hidden
        array = array.data
    kind = array.dtype.kind
    if kind in "OUST":
        if kind == "S":
            return _unreadable(len(array), b"", refuse)

        def objects(start: int, stop: int) -> tuple:
            cells = array[start:stop].tolist()
            if mask is not None:
                cells = [None if gap else cell for cell, gap in zip(cells, mask[start:stop].tolist())]
            return _objects(cells, start)

        return Column(len(array), objects)
    if kind in TIMES:
        unit, count = numpy.datetime_data(array.dtype)
        if unit not in TIMES[kind] or count != 1:
            array, unit = array.astype(f"{kind}8[s]"), "s"
        letters = TIMES[kind][unit]
    elif kind == "b":
        letters = "b"
    elif kind in "iuf":
        if array.dtype.itemsize > 8:
            array = array.astype("f8")
        letters = FORMATS[f"{kind}{array.dtype.itemsize}"]
    else:
        return _unreadable(len(array), array.dtype.type(), refuse)

    def values(start: int, stop: int) -> tuple:
        cells = array[start:stop]
        if not cells.dtype.isnative:
            cells = cells.astype(cells.dtype.newbyteorder("="))
        hidden = None if mask is None else mask[start:stop]
        if kind in TIMES:
            absent = numpy.isnat(cells)
            hidden = absent if hidden is None else hidden | absent
        return ("values", letters, cells.tobytes(), None if hidden is None else hidden.astype("u1").tobytes())

    return Column(len(array), values)


def _unreadable(rows: int, cell: Any, refuse: Refuse) -> Column:
    """A column that is refused if it is needed."""

    def cut(start: int, stop: int) -> tuple:
        raise refuse(cell)

    return Column(rows, cut)


# pandas


def _of_pandas(frame: Any, name: str) -> Pieces:
    if hasattr(frame, "to_frame"):
        frame = frame.to_frame(name="x0" if frame.name is None else frame.name)
    labelled = ((label, frame.iloc[:, place]) for place, label in enumerate(frame.columns))
    return Pieces(_columns(labelled, _column, name), name)


def _of_series(series: Any, refuse: Refuse) -> Column:
    """A column of pandas by its type; what is kept in Arrow's memory stays there."""
    kind = series.dtype
    if hasattr(kind, "categories") and hasattr(series, "cat"):
        return _of_categories(series, refuse)
    if hasattr(kind, "tz"):  # as the clocks of the zone show it
        if str(kind.tz) in UTC:
            return _in_pieces(series, lambda piece: _of_array(piece.dt.tz_localize(None).to_numpy(), refuse))
        return Column(len(series), lambda start, stop: ("texts", _with_offsets(series.iloc[start:stop])))
    if hasattr(kind, "fill_value"):  # sparse
        return _in_pieces(series, lambda piece: _of_series(piece.sparse.to_dense(), refuse))
    if hasattr(kind, "numpy_dtype") and not hasattr(kind, "pyarrow_dtype"):  # nullable numbers
        import numpy

        plain = numpy.dtype(object) if kind.numpy_dtype.kind == "O" else kind.numpy_dtype

        def nullable(piece: Any) -> Column:
            nothing = None if plain.kind == "O" else numpy.zeros(1, plain)[0]
            return _of_array(piece.to_numpy(dtype=plain, na_value=nothing), refuse, piece.isna().to_numpy(dtype=bool))

        return _in_pieces(series, nullable)
    if hasattr(kind, "pyarrow_dtype") or getattr(kind, "storage", None) in ("pyarrow", "pyarrow_numpy"):
        cells = series.array

        def arrow(start: int, stop: int) -> tuple:
            return ("arrow", _in_one(_localized(cells[start:stop].__arrow_array__())))

        return Column(len(series), arrow)
    if getattr(kind, "kind", "O") == "O":
        return _of_array(series.to_numpy(dtype=object), refuse)
    return _of_array(series.to_numpy(), refuse)


def _with_offsets(series: Any) -> list[str | None]:
    """Times of a zone as its clocks show them, each with its offset from UTC: when clocks go back an hour comes twice."""
    import numpy

    local = series.dt.tz_localize(None).to_numpy()
    ahead = (local - series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()).astype("timedelta64[m]").astype(int).tolist()
    whole = local.astype("datetime64[s]")
    known = ~numpy.isnat(local)
    texts = numpy.datetime_as_string(whole if (whole == local)[known].all() else local).tolist()
    offsets = {minutes: f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}{abs(minutes) % 60:02}" for minutes in set(ahead)}
    return [text + offsets[minutes] if there else None for text, minutes, there in zip(texts, ahead, known.tolist())]


def _in_pieces(series: Any, column: Callable[[Any], Column]) -> Column:
    """A column that is turned into another type piece by piece: never is all of it there twice."""
    return Column(len(series), lambda start, stop: column(series.iloc[start:stop]).cut(0, stop - start))


def _of_categories(series: Any, refuse: Refuse) -> Column:
    categories = series.cat.categories
    codes = series.cat.codes.to_numpy()
    try:
        # As a list, narrow floats would be wide: 3.2 would be 3.200000047683716.
        narrow = str(categories.dtype) in ("float16", "float32")
        labels = [cell_text(label, refuse) for label in (categories.to_numpy() if narrow else categories.tolist())]
    except InputError:
        return _unreadable(len(series), categories[0], refuse)
    named = [label for label in labels if label is not None]

    def cut(start: int, stop: int) -> tuple:
        return ("codes", codes[start:stop].astype("i4").tobytes(), labels)

    return Column(len(series), cut, named, bool(series.cat.ordered))
