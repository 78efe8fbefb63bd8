"""Tables whose gaps are filled, in the kind in which they came: what the table records stays as it is.

A fill is a text of the core's. It becomes a cell as the others of its column are: as the first that is recorded, else as the column's type says, else
as the network's coding does. Where a column's type has no room for it, the type grows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Callable, Iterable, Mapping

from clausality._cells import cell_text
from clausality._clausality import InputError
from clausality._frames import Frame
from clausality._tables import _is_numpy, _kind, name_text

#: What the column that counts copies is called, as on the command line.
COUNTER = "imputation"

#: Of a copy, by column: what goes into which row.
Fills = dict[str, dict[int, str]]


@dataclass(frozen=True)
class Filling:
    """What goes into the gaps of a table."""

    #: For every copy.
    copies: list[Fills]
    #: What kind of cell the coding knows in a column: "whole", "number", "truth"; texts are not listed.
    kinds: dict[str, str]

    def of(self, copy: Fills, label: Any) -> tuple[dict[int, str], str]:
        """What goes into a column of a copy, and the kind of its cells."""
        name = name_text(label)
        return copy.get(name, {}), self.kinds.get(name, "text")


def coded_kinds(coding: str | None) -> dict[str, str]:
    """The kinds of cells that the columns of a network's table had, by its coding.

    >>> whole = {"column": "n", "variable": {"states": ["1", "2"]}, "rule": {"numbers": [1.0, 2.0]}}
    >>> flag = {"column": "b", "variable": {"states": ["false", "true"]}, "rule": {"levels": {"levels": ["false", "true"]}}}
    >>> coded_kinds(json.dumps({"variables": [whole, flag]}))
    {'n': 'whole', 'b': 'truth'}
    """
    kinds = {}
    for each in json.loads(coding)["variables"] if coding else []:
        rule = each["rule"]
        if not isinstance(rule, dict):
            continue
        if "numbers" in rule or "cuts" in rule:
            cuts = rule.get("cuts", {})
            numbers = rule.get("numbers") or [*cuts.get("seen", []), *cuts.get("spread", [])]
            # Beyond 2^53 a number is written as others than whole ones are.
            whole = numbers and all(float(n).is_integer() and abs(n) < 2**53 for n in numbers)
            kinds[each["column"]] = "whole" if whole else "number"
        elif "levels" in rule and {level.lower() for level in rule["levels"]["levels"]} <= {"true", "false"}:
            kinds[each["column"]] = "truth"
    return kinds


class OwnColumns:
    """The columns of a table in memory by their names; none of one that cannot be asked twice.

    >>> OwnColumns({"a": ["1", "2"], " b": [True, None]}).kind("b"), OwnColumns({"a": ["1", "2"]}).kind("a"), OwnColumns("table.csv").kind("a")
    (('truth', None), ('text', None), (None, None))
    """

    def __init__(self, table: Any):
        self._table = table
        #: The library that it is of.
        self.library = "numpy" if _is_numpy(table) else _kind(table)
        #: Where a column stands, by its name; nothing where several have it.
        self._places: dict[str, Any] = {}
        for place, label in self._labels():
            name = name_text(label)
            self._places[name] = None if name in self._places else place

    @property
    def names(self) -> list[str]:
        """The names of its columns, but for those that several have.

        >>> OwnColumns({"a": [1], "b": [2]}).names
        ['a', 'b']
        """
        return [name for name, place in self._places.items() if place is not None]

    def _labels(self) -> Iterable[tuple[Any, Any]]:
        """The place of every column, and what it is called."""
        table, kind = self._table, _kind(self._table)
        if _is_numpy(table):
            names = table.dtype.names
            return zip(names, names) if names else ((k, f"x{k}") for k in range(table.shape[1] if table.ndim == 2 else 1))
        if kind == "pandas":
            return enumerate(getattr(table, "columns", []))
        if kind == "polars" and not hasattr(table, "collect"):
            return ((label, label) for label in getattr(table, "columns", []))
        if kind == "pyarrow":
            return enumerate(table.column_names) if hasattr(table, "column_names") else ()
        return ((label, label) for label in table) if isinstance(table, (dict, Frame)) else ()

    def column(self, name: str) -> Any:
        """A column by its name; nothing where there is none, or more than one."""
        table, place = self._table, self._places.get(name)
        if place is None:
            return None
        if _kind(table) == "pandas":
            return table.iloc[:, place]
        if _kind(table) == "pyarrow":
            return table.column(place)
        if _is_numpy(table) and not table.dtype.names:
            return table[:, place] if table.ndim == 2 else table
        return table[place]

    def kind(self, name: str) -> tuple[str | None, Any]:
        """The kind of cells that a column has ("category" and "label" of those with states of their own, "mixed" of texts among others), and its
        type in the library that it is of; nothing where there is no such column, or where it has a value nowhere and no type.
        """
        column = self.column(name)
        if column is None:
            return None, None
        dtype: Any = getattr(column, "dtype", None)
        kind = _kind(column)
        if kind == "polars":
            name = str(dtype).partition("(")[0]
            known = {"Boolean": "truth", "Decimal": "decimal", "Duration": "duration", "Categorical": "label", "Enum": "label"}
            if name == "Null":
                return None, None
            return known.get(name, "whole" if dtype.is_integer() else "number" if dtype.is_float() else "text"), dtype
        if kind != "pandas" and hasattr(column, "type"):  # of Arrow
            return (None, None) if str(column.type) == "null" else (_kind_of_arrow(column.type), column.type)
        if hasattr(dtype, "categories"):
            return "category", dtype
        if hasattr(dtype, "pyarrow_dtype"):
            return _kind_of_arrow(dtype.pyarrow_dtype), dtype
        if dtype is not None and getattr(dtype, "kind", "O") in "biufm":
            return LETTERS[dtype.kind], dtype
        if kind == "pandas" and str(dtype) != "object":
            return "text", dtype
        found = _kind_of_all(column)
        return found, None if found is None else dtype


def _kind_of_arrow(own: Any) -> str:
    """The kind of cells of a type of Arrow."""
    name = str(own).partition("(")[0].partition("[")[0].rstrip("0123456789")
    known = {"bool": "truth", "int": "whole", "uint": "whole", "float": "number", "halffloat": "number", "double": "number"}
    return {**known, "decimal": "decimal", "duration": "duration"}.get(name, "text")


def _kind_of_all(cells: Iterable[Any]) -> str | None:
    """The kind of cells that may be anything: that of all that are recorded; those of several kinds are mixed.

    >>> _kind_of_all([True, None, float("nan")]), _kind_of_all([1, 0.5]), _kind_of_all([1, "a"]), _kind_of_all([None])
    ('truth', 'number', 'mixed', None)
    """
    kinds: set[str] = set()
    seen: set[type] = {type(None)}
    for cell in cells:
        own = type(cell)
        if own in seen or own.__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell):
            continue
        seen.add(own)
        kinds.add(_kind_of(cell))
    return kinds.pop() if len(kinds) == 1 else "number" if kinds == {"whole", "number"} else "mixed" if kinds else None


class Cells(dict):
    """By node, the cells of its column that its states stand for."""

    def __init__(self, cells: Mapping[str, Mapping[str, Any]] = {}):
        super().__init__(cells)
        #: The library that the table was of, and by node the type of its column there.
        self.library: str | None = None
        self.types: dict[str, Any] = {}


def own_cells(
    table: OwnColumns, name: str, states: list[str], kinds: dict[str, str], kept: Cells | None = None
) -> tuple[list | None, Any]:
    """The states of a node as cells of the column that a table has for it, and its type: nothing where they are texts of their own.

    :param kinds: what kinds of cells the network knows, for tables without that column.
    :param kept: what the states stood for in the table that it was learned from, if that is known: it comes before their kinds.
    """
    kind, dtype = table.kind(name)
    if kind is None and kept is not None:
        cells = kept.get(name)
        known = cells is not None and set(states) <= set(cells)
        # What was pickled before types were kept has none.
        own = kept.types.get(name) if isinstance(kept, Cells) and kept.library == table.library else None
        return ([cells[state] for state in states], own) if known else (None, None)
    if kind == "category":
        by_text = _by_text(dtype.categories)
        return ([by_text[state] for state in states], dtype) if set(states) <= set(by_text) else (None, None)
    if kind == "label":
        listed = getattr(dtype, "categories", None) if str(dtype).startswith("Enum") else None
        return (list(states), dtype) if listed is None or set(states) <= set(listed) else (None, None)
    if kind == "mixed":
        by_text = _by_text({id(cell): cell for cell in table.column(name)}.values())
        return [by_text.get(state, state) for state in states], dtype
    cells = typed(states, kind or kinds.get(name, "text"))
    return cells, None if cells is None else dtype


def _by_text(cells: Iterable[Any]) -> dict[str | None, Any]:
    """Cells by the texts that stand for them in a file; of those with one text the first."""
    found: dict[str | None, Any] = {}
    for cell in cells:
        found.setdefault(cell_text(cell, lambda cell: InputError(f"{cell!r} is no cell")), cell)
    return found


def cells_of_table(table: Any, network: Any, nodes: Iterable[Mapping[str, Any]]) -> Cells:
    """What predictions for the table that a network was learned from give for the states of every node; the state of a gap is none of them."""
    own, kinds, found = OwnColumns(table), coded_kinds(network.coding_json()), Cells()
    found.library = own.library
    for node in nodes:
        states = node["states"][:-1] if node.get("missing_state") else node["states"]
        cells, dtype = own_cells(own, node["name"], states, kinds)
        if cells is not None:
            found[node["name"]] = dict(zip(states, cells))
            if dtype is not None:
                found.types[node["name"]] = dtype
    return found


def drawn_cells(network: Any, states: Mapping[str, list[str]], kept: Cells | None) -> Cells:
    """By node, the cells that stand for its states in rows that are drawn: where its coding takes all for numbers or truth values, unless the table
    that it was learned from is known to have had texts there.
    """
    kinds, found = coded_kinds(network.coding_json()), Cells()
    for node, own in states.items():
        cells = typed(own, kinds.get(node, "text"))
        mine = None if cells is None else dict(zip(own, cells)) if kept is None else kept.get(node)
        if mine and not any(isinstance(cell, str) for cell in mine.values()):
            # Decimals and durations are drawn as the numbers that they are read as.
            plain = all(isinstance(cell, (bool, int, float)) for cell in mine.values())
            found[node] = mine if plain else dict(zip(own, cells or []))
    return found


def typed(states: list[str], kind: str) -> list | None:
    """States as cells of a kind; nothing where some are none, as ranges are.

    >>> typed(["0", "1"], "whole"), typed(["true", "false"], "truth"), typed(["<= 20", "> 20"], "whole"), typed(["yes"], "text")
    ([0, 1], [True, False], None, None)
    """
    wanted: tuple[type, ...] = {
        "truth": (bool,),
        "whole": (int,),
        "number": (int, float),
        "decimal": (Decimal,),
        "duration": (timedelta,),
    }.get(kind, ())
    cells = [_value(state, kind) for state in states] if wanted else []
    return cells if cells and all(type(cell) in wanted for cell in cells) else None


def filled(table: Any, found: list[tuple], draws: int | None, kinds: dict[str, str]) -> Any:
    """A table with what goes into its gaps; several copies stand below each other, counted in a first column."""
    copies: list[Fills] = [{} for _ in range(draws or 1)]
    for column, rows, texts in found:
        for copy, cells in zip(copies, texts):
            copy[column] = {row: text for row, text in zip(rows, cells) if text is not None}
    filling = Filling(copies, kinds)
    kind = _kind(table)
    if kind == "pandas":
        return _pandas(table, filling)
    if kind == "polars":
        return _polars(table, filling)
    if kind == "pyarrow":
        return _pyarrow(table, filling)
    if _is_numpy(table):
        return _numpy(table, filling)
    if isinstance(table, (dict, Frame)):
        columns = table.to_dict() if isinstance(table, Frame) else {str(name): _cells(cells) for name, cells in table.items()}
        made = [{name: _listed(cells, *filling.of(copy, name)) for name, cells in columns.items()} for copy in copies]
        return Frame(_below_each_other(made))
    raise InputError(f"the gaps of {type(table).__qualname__} cannot be filled in place: say with output=FILE where the table is to go")


def _cells(column: Any) -> list:
    """The cells of a column of whatever kind, as Python's own objects."""
    for listing in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, listing):
            return getattr(column, listing)()
    return list(column)


def _value(text: str, kind: str) -> Any:
    """A text as a cell of a kind; the label of a state, which is none, stays a text."""
    if kind == "truth":
        return {"true": True, "false": False}.get(text.lower(), text)
    if kind == "decimal":
        try:
            return Decimal(text)
        except InvalidOperation:
            return text
    if kind == "duration":
        try:
            return timedelta(seconds=float(text))
        except (ValueError, OverflowError):
            return text
    if kind in ("whole", "number"):
        try:
            return float(text) if kind == "number" else int(text)
        except ValueError:
            try:
                return float(text)
            except ValueError:
                return text
    return text


def _kind_of(cell: Any) -> str:
    """The kind of a recorded cell."""
    cell = cell.item() if hasattr(cell, "item") else cell
    kinds: list[tuple[type, str]] = [(bool, "truth"), (int, "whole"), (float, "number"), (Decimal, "decimal"), (timedelta, "duration")]
    return next((kind for own, kind in kinds if isinstance(cell, own)), "text")


def _listed(cells: list, fills: dict[int, str], kind: str) -> list:
    """The cells of a column, its gaps filled; the kind is that of a column with nothing recorded."""
    if not fills:
        return cells
    recorded = (cell for row, cell in enumerate(cells) if row not in fills and cell is not None and cell == cell)
    first = next(recorded, None)
    kind = kind if first is None else _kind_of(first)
    cells = list(cells)
    for row, text in fills.items():
        cells[row] = _value(text, kind)
    return cells


#: What NumPy's and pandas' letters for types say of cells.
LETTERS = {"i": "whole", "u": "whole", "f": "number", "b": "truth", "m": "duration", "U": "text", "T": "text", "S": "text"}


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


# pandas


def _pandas(frame: Any, filling: Filling) -> Any:
    import pandas

    if isinstance(frame, pandas.Series):
        name = "x0" if frame.name is None else frame.name
        made = _pandas(frame.to_frame(name=name), filling)
        return made[name].rename(frame.name) if len(filling.copies) == 1 else made
    made = []
    for copy in filling.copies:
        columns = {}
        for place, label in enumerate(frame.columns):
            columns[place] = _series(frame.iloc[:, place], *filling.of(copy, label))
        one = pandas.DataFrame(columns, index=frame.index)
        one.columns = frame.columns
        made.append(one)
    if len(made) == 1:
        return made[0]
    for number, one in enumerate(made):
        one.insert(0, _counter(one.columns), number + 1)
    return pandas.concat(made)


def _series(series: Any, fills: dict[int, str], kind: str) -> Any:
    import numpy
    import pandas

    if not fills:
        return series
    if isinstance(series.dtype, pandas.CategoricalDtype):
        labels = {cell_text(label, lambda cell: InputError(f"{cell!r} is no category")): label for label in series.cat.categories}
        own = _kind_of(series.cat.categories[0]) if len(labels) else kind
        cells = [labels[text] if text in labels else _value(text, own) for text in fills.values()]
        new = [cell for cell in dict.fromkeys(cells) if cell not in series.cat.categories]
        series = series.cat.add_categories(new) if new else series.copy()
    else:
        others = numpy.ones(len(series), bool)
        others[list(fills)] = False
        recorded = series[others].dropna()
        if len(recorded):
            kind = _kind_of(recorded.iloc[0])
        else:
            kind = LETTERS.get(getattr(series.dtype, "kind", "O"), kind)
        cells = [_value(text, kind) for text in fills.values()]
        series = _with_room(series, cells)
    series.iloc[list(fills)] = cells
    return series


def _with_room(series: Any, cells: list) -> Any:
    """A copy of a series, in a type that has room for these cells."""
    import pandas

    if pandas.api.types.is_object_dtype(series.dtype):
        return series.copy()
    extension = pandas.api.types.is_extension_array_dtype(series.dtype)
    numbers = ["Int64", "Float64"] if extension else ["int64", "float64"]
    wider = numbers if pandas.api.types.is_any_real_numeric_dtype(series.dtype) else []
    for kind in [series.dtype, *wider]:
        try:
            if pandas.array(cells, dtype=kind).tolist() == cells or kind == "float64":
                return series.astype(kind).copy()
        except (TypeError, ValueError, OverflowError):
            continue
    return series.astype(object)


# polars


def _polars(frame: Any, filling: Filling) -> Any:
    import polars

    if isinstance(frame, polars.Series):
        made = _polars(frame.to_frame(), filling)
        return made.to_series() if len(filling.copies) == 1 else made
    if hasattr(frame, "collect"):
        frame = frame.collect()
    made = []
    for number, copy in enumerate(filling.copies):
        one = polars.DataFrame([_polars_series(series, *filling.of(copy, series.name)) for series in frame.get_columns()])
        if len(filling.copies) > 1:
            one.insert_column(0, polars.Series(_counter(one.columns), [number + 1] * one.height))
        made.append(one)
    return polars.concat(made, how="vertical_relaxed") if len(made) > 1 else made[0]


def _polars_series(series: Any, fills: dict[int, str], kind: str) -> Any:
    """A series with its gaps filled, in the first of these types that has room for all cells: its own, wider ones, texts."""
    import polars

    if not fills:
        return series
    own = series.dtype
    if own.is_numeric():
        kind = "whole" if own.is_integer() else "decimal" if own.is_decimal() else "number"
    elif own == polars.Boolean:
        kind = "truth"
    elif own == polars.Duration:
        kind = "duration"
    elif own != polars.Null and own != polars.Object:
        kind = "text"
    cells = _listed(series.to_list(), fills, kind)
    wider: list[Any] = [polars.Int64, polars.Float64] if own.is_numeric() or own == polars.Null else []
    if isinstance(own, polars.Enum):
        wider.append(polars.Enum(list(dict.fromkeys([*own.categories.to_list(), *fills.values()]))))
    if own == polars.Null:
        wider.insert(0, polars.Boolean)
    kinds = wider if own == polars.Null else [own, *wider]
    return _first_fit(
        [lambda kind=kind: polars.Series(series.name, cells, dtype=kind, strict=True) for kind in kinds],
        (polars.exceptions.PolarsError, TypeError, ValueError, OverflowError),
        lambda: polars.Series(series.name, _texts(cells), dtype=polars.String),
    )


def _texts(cells: list) -> list[str | None]:
    return [cell_text(cell, lambda cell: InputError(f"{cell!r} is no text")) for cell in cells]


def _first_fit(tries: list[Callable[[], Any]], wrong: tuple[type[BaseException], ...], last: Callable[[], Any]) -> Any:
    for one in tries:
        try:
            return one()
        except wrong:
            continue
    return last()


# pyarrow


def _pyarrow(table: Any, filling: Filling) -> Any:
    import pyarrow

    if not isinstance(table, pyarrow.Table):
        table = pyarrow.table(table)
    made = []
    for number, copy in enumerate(filling.copies):
        one = table
        for place, name in enumerate(table.column_names):
            fills, kind = filling.of(copy, name)
            if fills:
                one = one.set_column(place, name, _arrow_column(table.column(place), fills, kind))
        if len(filling.copies) > 1:
            one = one.add_column(0, _counter(one.column_names), pyarrow.array([number + 1] * one.num_rows))
        made.append(one)
    return pyarrow.concat_tables(made, promote_options="permissive") if len(made) > 1 else made[0]


def _arrow_column(column: Any, fills: dict[int, str], kind: str) -> Any:
    import pyarrow

    types, own = pyarrow.types, column.type
    inner = own.value_type if types.is_dictionary(own) else own
    known = {
        "truth": types.is_boolean,
        "whole": types.is_integer,
        "number": types.is_floating,
        "decimal": types.is_decimal,
        "duration": types.is_duration,
    }
    if not types.is_null(inner):
        kind = next((name for name, is_it in known.items() if is_it(inner)), "text")
    cells = _listed(column.to_pylist(), fills, kind)
    if types.is_null(inner):
        return _first_fit([lambda: pyarrow.array(cells)], (pyarrow.ArrowException,), lambda: pyarrow.array(_texts(cells)))
    wider = [pyarrow.int64(), pyarrow.float64()] if types.is_integer(inner) or types.is_floating(inner) else []
    return _first_fit(
        [lambda kind=kind: pyarrow.array(cells, type=kind) for kind in [own, *wider]],
        (pyarrow.ArrowException, TypeError, ValueError, OverflowError),
        lambda: pyarrow.array(_texts(cells), type=pyarrow.string()),
    )


# NumPy


def _numpy(array: Any, filling: Filling) -> Any:
    import numpy

    made = [_numpy_copy(array, filling, copy) for copy in filling.copies]
    return made[0] if len(made) == 1 else numpy.stack(made)


def _numpy_copy(array: Any, filling: Filling, copy: Fills) -> Any:
    import numpy

    if array.dtype.names:
        columns = {name: _numpy_filled(array[name], [filling.of(copy, name)]) for name in array.dtype.names}
        made = numpy.empty(array.shape, [(name, column.dtype) for name, column in columns.items()])
        for name, column in columns.items():
            made[name] = column
        return made
    columns_of = 1 if array.ndim == 1 else array.shape[1]
    return _numpy_filled(array, [filling.of(copy, f"x{place}") for place in range(columns_of)])


def _numpy_filled(array: Any, fills: list[tuple[dict[int, str], str]]) -> Any:
    """A copy of an array of one type with its columns filled, in a type that has room for all of them."""
    import numpy

    columns = array.reshape(len(array), -1)
    cells = {place: _numpy_cells(columns[:, place], each, kind) for place, (each, kind) in enumerate(fills) if each}
    if not cells:
        return array.copy()
    made = columns.astype(_numpy_room(array.dtype, [cell for each in cells.values() for cell in set(each)]))
    for place, each in cells.items():
        rows = numpy.fromiter(fills[place][0], numpy.intp, len(each))
        column = numpy.empty(len(each), made.dtype)
        column[:] = each
        made[rows, place] = column
    return made.reshape(array.shape)


def _numpy_cells(column: Any, fills: dict[int, str], kind: str) -> list:
    """What goes into the gaps of a column: as its type says, else as the first cell that is recorded."""
    kind = LETTERS.get(column.dtype.kind, kind)
    if column.dtype.kind not in LETTERS:
        recorded = (cell for row, cell in enumerate(column.tolist()) if row not in fills and cell is not None and cell == cell)
        first = next(recorded, None)
        kind = kind if first is None else _kind_of(first)
    values = {text: _value(text, kind) for text in set(fills.values())}
    return [values[text] for text in fills.values()]


def _numpy_room(own: Any, cells: list) -> Any:
    """The type of an array once it holds these cells too."""
    if own.kind == "U":
        return f"U{max(own.itemsize // 4, *map(len, cells))}"
    if own.kind in "iufb" and any(isinstance(cell, str) for cell in cells):
        return object
    if own.kind in "iu" and any(isinstance(cell, float) for cell in cells):
        return "f8"
    return own
