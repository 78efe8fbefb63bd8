"""Tables whose gaps are filled, in the kind in which they came: what the table records stays as it is."""

from __future__ import annotations

from typing import Any

from clausality._clausality import InputError
from clausality._frames import Frame
from clausality._tables import _is_numpy, _kind

#: What the column that counts copies is called, as on the command line.
COUNTER = "imputation"

#: Of every copy, by column: what goes into which row.
Fills = list[dict[str, dict[int, str]]]


def filled(table: Any, found: list[tuple], draws: int | None) -> Any:
    """A table with what goes into its gaps; several copies stand below each other, counted in a first column."""
    copies: Fills = [{} for _ in range(draws or 1)]
    for column, rows, texts in found:
        for copy, cells in zip(copies, texts):
            copy[column] = {row: text for row, text in zip(rows, cells) if text is not None}
    kind = _kind(table)
    if kind == "pandas":
        return _pandas(table, copies)
    if kind == "polars":
        return _polars(table, copies)
    if kind == "pyarrow":
        return _pyarrow(table, copies)
    if _is_numpy(table):
        return _numpy(table, copies)
    if isinstance(table, (dict, Frame)):
        columns = table.to_dict() if isinstance(table, Frame) else {str(name): list(cells) for name, cells in table.items()}
        made = [{name: _listed(cells, copy.get(name, {})) for name, cells in columns.items()} for copy in copies]
        return Frame(_below_each_other(made))
    raise InputError(f"the gaps of {type(table).__qualname__} cannot be filled in place: say with output=FILE where the table is to go")


def _value(text: str, like: Any) -> Any:
    """A text as the kind of cell that the others of its column are."""
    if isinstance(like, str):
        return text
    if isinstance(like, bool):
        return {"true": True, "false": False}.get(text, text)
    try:
        return float(text) if isinstance(like, float) else int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text  # the label of a state


def _listed(cells: list, fills: dict[int, str]) -> list:
    """The cells of a column, its gaps filled."""
    if not fills:
        return cells
    like = next((cell for cell in cells if cell is not None and cell == cell), "")
    like = like.item() if hasattr(like, "item") else like
    cells = list(cells)
    for row, text in fills.items():
        cells[row] = _value(text, like)
    return cells


def _counter(columns: Any) -> str:
    name = COUNTER
    while name in columns:
        name = "." + name
    return name


def _below_each_other(copies: list[dict[str, list]]) -> dict[str, list]:
    if len(copies) == 1:
        return copies[0]
    rows = len(next(iter(copies[0].values()), []))
    counter = {_counter(copies[0]): [number + 1 for number in range(len(copies)) for _ in range(rows)]}
    return counter | {name: [cell for copy in copies for cell in copy[name]] for name in copies[0]}


def _pandas(frame: Any, copies: Fills) -> Any:
    import pandas

    made = []
    for copy in copies:
        columns = {}
        for place, label in enumerate(frame.columns):
            columns[place] = _series(frame.iloc[:, place], copy.get(str(label), {}))
        one = pandas.DataFrame(columns, index=frame.index)
        one.columns = frame.columns
        made.append(one)
    if len(made) == 1:
        return made[0]
    for number, one in enumerate(made):
        one.insert(0, _counter(one.columns), number + 1)
    return pandas.concat(made, ignore_index=True)


def _series(series: Any, fills: dict[int, str]) -> Any:
    import pandas

    if not fills:
        return series
    if isinstance(series.dtype, pandas.CategoricalDtype):
        labels = {str(label): label for label in series.cat.categories}
        cells = [labels.get(text, text) for text in fills.values()]
        new = [cell for cell in dict.fromkeys(cells) if cell not in series.cat.categories]
        series = series.cat.add_categories(new) if new else series.copy()
    else:
        recorded = series.dropna()
        like = recorded.iloc[0] if len(recorded) else ""
        like = like.item() if hasattr(like, "item") else like
        cells = [_value(text, like) for text in fills.values()]
        numeric = pandas.api.types.is_numeric_dtype(series.dtype)
        series = series.astype(object) if numeric and any(isinstance(cell, str) for cell in cells) else series.copy()
    series.iloc[list(fills)] = cells
    return series


def _polars(frame: Any, copies: Fills) -> Any:
    import polars

    if hasattr(frame, "collect"):
        frame = frame.collect()
    made = []
    for number, copy in enumerate(copies):
        columns = []
        for series in frame.get_columns():
            cells = _listed(series.to_list(), copy.get(series.name, {})) if series.name in copy else None
            kind = series.dtype
            if cells is not None and kind.is_numeric() and any(isinstance(cell, str) for cell in cells):
                cells, kind = [None if cell is None else str(cell) for cell in cells], polars.String
            columns.append(series if cells is None else polars.Series(series.name, cells, dtype=kind, strict=False))
        one = polars.DataFrame(columns)
        if len(copies) > 1:
            one.insert_column(0, polars.Series(_counter(one.columns), [number + 1] * one.height))
        made.append(one)
    return polars.concat(made) if len(made) > 1 else made[0]


def _pyarrow(table: Any, copies: Fills) -> Any:
    import pyarrow

    if not isinstance(table, pyarrow.Table):
        table = pyarrow.table(table)
    made = []
    for number, copy in enumerate(copies):
        one = table
        for place, name in enumerate(table.column_names):
            if copy.get(name):
                cells, kind = _listed(table.column(place).to_pylist(), copy[name]), table.field(place).type
                if not pyarrow.types.is_dictionary(kind) and any(isinstance(c, str) for c in cells):
                    cells, kind = [None if cell is None else str(cell) for cell in cells], pyarrow.string()
                one = one.set_column(place, name, pyarrow.array(cells, type=kind))
        if len(copies) > 1:
            one = one.add_column(0, _counter(one.column_names), pyarrow.array([number + 1] * one.num_rows))
        made.append(one)
    return pyarrow.concat_tables(made) if len(made) > 1 else made[0]


def _numpy(array: Any, copies: Fills) -> Any:
    import numpy

    made = []
    for copy in copies:
        names = array.dtype.names or [f"x{k}" for k in range(1 if array.ndim == 1 else array.shape[1])]
        values = {}
        for name, fills in copy.items():
            place = name if array.dtype.names else (slice(None), names.index(name)) if array.ndim == 2 else slice(None)
            values[name] = place, _listed(array[place].tolist(), fills)
        as_text = any(isinstance(cell, str) for _, cells in values.values() for cell in cells)
        one = array.astype(object) if as_text and array.dtype.kind in "iufb" else array.copy()
        for place, cells in values.values():
            one[place] = cells
        made.append(one)
    return made[0] if len(made) == 1 else numpy.stack(made)
