"""Frames that go out: of the library that the table came from, else a small one of our own."""

from __future__ import annotations

import html
from typing import Any, Iterator

from clausality import _clausality as core


#: The libraries whose frames come out.
KINDS = ("pandas", "polars", "pyarrow")


class Frame:
    """Columns by name: what comes out where neither pandas, polars nor pyarrow went in.

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
    #: Letters of a line, and of a cell, that are shown.
    LINE, CELL = 200, 60

    def __init__(self, columns: dict[str, Any], core_columns: core.Columns | None = None):
        self._columns = dict(columns)
        self._core = core_columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The same for whoever reads Arrow's C interface, such as ``polars.DataFrame(frame)``."""
        if self._core is None:
            from clausality._tables import whole

            self._core = core.Columns.of(*whole(self._columns))
        return self._core.__arrow_c_stream__(requested_schema)

    @property
    def columns(self) -> list[str]:
        """The names of the columns.

        >>> Frame({"a": [1], "b": [2]}).columns
        ['a', 'b']
        """
        return list(self._columns)

    def __getitem__(self, column: str) -> Any:
        return self._columns[column]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows, each a dict.

        >>> list(Frame({"a": [1, 2]}).rows())
        [{'a': 1}, {'a': 2}]
        """
        names = self.columns
        return (dict(zip(names, cells)) for cells in zip(*(_listed(cells) for cells in self._columns.values())))

    def to_dict(self) -> dict[str, list]:
        """The columns as lists.

        >>> Frame({"a": (1, 2)}).to_dict()
        {'a': [1, 2]}
        """
        return {name: _listed(cells) for name, cells in self._columns.items()}

    def to_pandas(self) -> Any:
        """The same as a pandas frame.

        >>> Frame({"a": [1, 2]}).to_pandas().shape
        (2, 1)
        """
        return to_kind(self._columns, "pandas")

    def to_polars(self) -> Any:
        """The same as a polars frame.

        >>> Frame({"a": [1, 2]}).to_polars().shape
        (2, 1)
        """
        return to_kind(self._columns, "polars")

    def to_arrow(self) -> Any:
        """The same as a pyarrow table.

        >>> Frame({"a": [1, 2]}).to_arrow().num_rows
        2
        """
        return to_kind(self._columns, "pyarrow")

    def __repr__(self) -> str:
        shown: list[list[str]] = []
        widths: list[int] = []
        for name, cells in self._columns.items():
            column = [self._in_line(cell) for cell in [name, *_listed(cells[: self.SHOWN])]]
            width = max(map(len, column))
            if shown and sum(widths) + 2 * len(widths) + width > self.LINE:
                break
            shown.append(column)
            widths.append(width)
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in zip(*shown)]
        if len(self) > self.SHOWN:
            lines.append(f"… {len(self):,} rows")
        if len(shown) < len(self._columns):
            lines.append(f"… {len(self._columns):,} columns")
        return "\n".join(lines)

    def _in_line(self, cell: Any) -> str:
        """A cell in one line, and not all of it if it is long."""
        text = _shown(cell).replace("\r", "\\r").replace("\n", "\\n")
        return text if len(text) <= self.CELL else text[: self.CELL - 1] + "…"

    def __getstate__(self) -> dict[str, Any]:
        return {"_columns": self._columns, "_core": None}

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self._columns)
        cells = (_listed(column)[: self.SHOWN] for column in self._columns.values())
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
        return f"{cell:.6g}"
    return str(cell)


def to_kind(columns: dict[str, Any], kind: str | None) -> Any:
    """Columns as a frame of a library."""
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


def of_core(columns: core.Columns, kind: str | None) -> Any:
    """Columns of the core as a frame of a library."""
    if kind == "polars":
        import polars

        return polars.DataFrame(columns)
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.table(columns)
    if kind == "pandas":
        import pandas

        return pandas.DataFrame({name: _for_pandas(columns.column(k)) for k, name in enumerate(columns.names())})
    return Frame({name: _as_list(columns.column(k)) for k, name in enumerate(columns.names())}, columns)


def _for_pandas(column: tuple) -> Any:
    """A column of the core for pandas: labels are a categorical."""
    import numpy
    import pandas

    if column[0] == "codes":
        _, codes, labels, ordered = column
        return pandas.Categorical.from_codes(numpy.frombuffer(codes, "i4"), labels, ordered=ordered)
    if column[0] == "texts":
        return pandas.Series(column[1], dtype="object" if None in column[1] else None)
    _, letter, cells, gaps = column
    values = numpy.frombuffer(cells, letter)
    if gaps is not None:
        values = numpy.where(numpy.frombuffer(gaps, "?"), numpy.nan, values)
    return values


def _as_list(column: tuple) -> list:
    """A column of the core as a list."""
    if column[0] == "codes":
        _, codes, labels, _ = column
        labels = [*labels, None]  # a gap is -1, which is the last
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
