"""Frames that go out: of the library that the table came from, else a small one of our own."""

from __future__ import annotations

import html
from typing import Any, Iterator, Mapping

from clausality import _clausality as core
from clausality._told import width


#: The libraries whose frames come out.
KINDS = ("pandas", "polars", "pyarrow")


class Frame(dict):
    """Columns by name: what comes out where neither pandas, polars nor pyarrow went in. It is the dict that these take, so that
    ``pandas.DataFrame(frame)`` is a frame of theirs; its length is that of its columns.

    >>> frame = Frame({"parent": ["smoke", "asia"], "gain": [12.5, None]})
    >>> frame
    parent  gain
    smoke   12.5
    asia
    >>> frame["parent"], len(frame), frame.columns
    (['smoke', 'asia'], 2, ['parent', 'gain'])
    >>> next(iter(frame.rows()))
    {'parent': 'smoke', 'gain': 12.5}
    """

    #: Rows that are shown.
    SHOWN = 20
    #: Letters of a cell that are shown.
    CELL = 60

    def __init__(self, columns: Mapping[str, Any], core_columns: core.Columns | None = None):
        super().__init__(columns)
        # What the core made the columns of, and which columns those were.
        self._core, self._made = core_columns, list(self.values())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The same for whoever reads Arrow's C interface, such as ``pyarrow.table(frame)``."""
        made = self._core
        if made is None or made.names() != self.columns or any(a is not b for a, b in zip(self._made, self.values())):
            from clausality._tables import whole

            made = core.Columns.of(*whole(self))
        return made.__arrow_c_stream__(requested_schema)

    @property
    def columns(self) -> list[str]:
        """The names of the columns.

        >>> Frame({"a": [1], "b": [2]}).columns
        ['a', 'b']
        """
        return list(self.keys())

    def __len__(self) -> int:
        return len(next(iter(self.values()), ()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and self.to_dict() == (other.to_dict() if isinstance(other, Frame) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows, each a dict.

        >>> list(Frame({"a": [1, 2]}).rows())
        [{'a': 1}, {'a': 2}]
        """
        names = self.columns
        return (dict(zip(names, cells)) for cells in zip(*(_listed(cells) for cells in self.values())))

    def to_dict(self) -> dict[str, list]:
        """The columns as lists.

        >>> Frame({"a": (1, 2)}).to_dict()
        {'a': [1, 2]}
        """
        return {name: _listed(cells) for name, cells in self.items()}

    def to_pandas(self) -> Any:
        """The same as a pandas frame.

        >>> Frame({"a": [1, 2]}).to_pandas().shape
        (2, 1)
        """
        return to_kind(self, "pandas")

    def to_polars(self) -> Any:
        """The same as a polars frame.

        >>> Frame({"a": [1, 2]}).to_polars().shape
        (2, 1)
        """
        return to_kind(self, "polars")

    def to_arrow(self) -> Any:
        """The same as a pyarrow table.

        >>> Frame({"a": [1, 2]}).to_arrow().num_rows
        2
        """
        return to_kind(self, "pyarrow")

    def __repr__(self) -> str:
        shown: list[list[str]] = []
        widths: list[int] = []
        screen = width()
        for name, cells in self.items():
            column = [self._in_line(cell, screen) for cell in [name, *_listed(cells[: self.SHOWN])]]
            wide = max(map(len, column))
            if shown and sum(widths) + 2 * len(widths) + wide > screen:
                break
            shown.append(column)
            widths.append(wide)
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in zip(*shown)]
        if len(self) > self.SHOWN:
            lines.append(f"… {len(self):,} rows")
        if len(shown) < len(self.columns):
            hidden = self.columns[len(shown) :]
            lines.append(shorten(f"… {len(self.columns):,} columns, also {', '.join(map(str, hidden))}", screen))
        return "\n".join(lines)

    def _in_line(self, cell: Any, screen: int) -> str:
        """A cell in one line, and not all of it if it is long."""
        return shorten(_shown(cell).replace("\r", "\\r").replace("\n", "\\n"), min(self.CELL, screen))

    def __reduce__(self) -> tuple:
        return Frame, (dict(self.items()),)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self)
        cells = (_listed(column)[: self.SHOWN] for column in self.values())
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(cell))}</td>" for cell in row) + "</tr>" for row in zip(*cells)
        )
        more = f"<p>… {len(self):,} rows</p>" if len(self) > self.SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _listed(cells: Any) -> list:
    return cells.tolist() if hasattr(cells, "tolist") else list(cells)


def _shown(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return figure(cell)
    return str(cell)


def shorten(text: str, most: int) -> str:
    """A text, and not all of it if it is longer than a line may be.

    >>> shorten("twelve", 6), shorten("thirteen", 6)
    ('twelve', 'thirt…')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def figure(value: float) -> str:
    """A number as it is where it is short, else with four digits, or with all of those before the point.

    >>> [figure(x) for x in (0.5, 12.345, 0.774193548387, 0.0008427519, 123456.789, 1e20, float("nan"))]
    ['0.5', '12.345', '0.7742', '0.0008428', '123457', '1e+20', 'nan']
    """
    short = f"{value:.6g}"
    if value != value or float(short) == value or not 1e-4 <= abs(value) < 1e15:
        return short if float(short) == value else f"{value:.4g}"
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def to_kind(columns: Mapping[str, Any], kind: str | None) -> Any:
    """Columns as a frame of a library."""
    columns = dict(columns.items())
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if kind == "polars":
        import polars

        return polars.DataFrame({name: _listed(cells) for name, cells in columns.items()}, strict=False)
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.table(columns)
    return Frame(columns)


def of_core(columns: core.Columns, kind: str | None, index: Any = None, cells: dict[str, dict[str, Any]] | None = None) -> Any:
    """Columns of the core as a frame of a library.

    :param index: that of a frame of pandas whose rows these are.
    :param cells: by column, what stands for each of its labels: numbers and truth values, of columns without a gap.
    """
    cells = cells or {}
    if kind == "polars":
        import polars

        frame = polars.DataFrame(columns)
        return frame.with_columns([frame[name].cast(polars.String).replace_strict(own) for name, own in cells.items()])
    if kind == "pyarrow":
        import pyarrow

        table = pyarrow.table(columns)
        for name, own in cells.items():
            place = table.schema.get_field_index(name)
            labels = table.column(place).combine_chunks()
            values = pyarrow.array([own[label] for label in labels.dictionary.to_pylist()])
            table = table.set_column(place, name, values.take(labels.indices))
        return table
    named = [(name, columns.column(k)) for k, name in enumerate(columns.names())]
    if kind == "pandas":
        import pandas

        return pandas.DataFrame({name: _for_pandas(column, cells.get(name)) for name, column in named}, index=index)
    return Frame({name: _as_list(column, cells.get(name)) for name, column in named}, None if cells else columns)


def _for_pandas(column: tuple, cells: dict[str, Any] | None = None) -> Any:
    """A column of the core for pandas: labels are a categorical, unless other cells stand for them."""
    import numpy
    import pandas

    if column[0] == "codes":
        _, codes, labels, ordered = column
        if cells is not None:
            return numpy.array([cells[label] for label in labels])[numpy.frombuffer(codes, "i4")]
        return pandas.Categorical.from_codes(numpy.frombuffer(codes, "i4"), labels, ordered=ordered)
    if column[0] == "texts":
        return pandas.Series(column[1], dtype="object" if None in column[1] else None).array  # without an index of its own
    _, letter, cells, gaps = column
    values = numpy.frombuffer(cells, letter)
    if gaps is not None:
        values = numpy.where(numpy.frombuffer(gaps, "?"), numpy.nan, values)
    return values


def _as_list(column: tuple, cells: dict[str, Any] | None = None) -> list:
    """A column of the core as a list."""
    if column[0] == "codes":
        _, codes, labels, _ = column
        labels = [*(labels if cells is None else (cells[label] for label in labels)), None]  # a gap is -1, which is the last
        return [labels[code] for code in memoryview(codes).cast("i")]
    if column[0] == "texts":
        return column[1]
    _, letter, cells, gaps = column
    values = memoryview(cells).cast(letter).tolist()
    return values if gaps is None else [None if gap else value for value, gap in zip(values, gaps)]


def packed(columns: core.Columns) -> tuple[list[str], int, list[tuple]]:
    """Columns of the core as they are pickled: ``core.Columns.restored`` makes the same of them."""
    letters = {"d": "g", "q": "l"}  # Python's and Arrow's names for doubles and whole numbers
    made = [columns.column(k) for k in range(len(columns.names()))]
    made = [(column[0], letters[column[1]], *column[2:]) if column[0] == "values" else column for column in made]
    return columns.names(), len(columns), made


def of_records(records: list[dict], names: list[str], kind: str | None) -> Any:
    """A frame of a list of JSON objects; what one lacks is None."""
    return to_kind({name: [record.get(name) for record in records] for name in names}, kind)
