"""Frames in the order of time: index levels that say whose a row is and when, and stamps that come out as they came in."""

from __future__ import annotations

from typing import Any, Iterable, Mapping

from clausality._clausality import InputError
from clausality._frames import Frame
from clausality._settings import TIME


def _is_frame(table: Any) -> bool:
    """Whether it is a pandas frame: only these have an index."""
    return any(base.__module__.partition(".")[0] == "pandas" and base.__name__ == "DataFrame" for base in type(table).__mro__)


def _is_dates(level: Any) -> bool:
    return getattr(level.dtype, "kind", "O") == "M" or type(level).__name__ in ("DatetimeIndex", "PeriodIndex")


def in_order(table: Any, settings: dict[str, Any], config: Any = None) -> tuple[Any, dict[str, Any]]:
    """A table and settings for learning over time: levels of a pandas index that are named by ``time`` and ``entity`` become columns.

    Of a MultiIndex of two levels, one of them dates, nothing has to be named: the dates are the time, the other level is the entity.
    """
    configured = dict(config) if hasattr(config, "items") else {}
    said = {name: value for name, value in {**configured, **settings}.items() if name in TIME and value is not None}
    if not _is_frame(table):
        return table, settings
    if "time" not in said and getattr(table.index, "nlevels", 1) == 2 and (config is None or configured):
        dates = [k for k, level in enumerate(table.index.levels) if _is_dates(level)]
        if len(dates) == 1:
            table, named = _named(table, dates[0])
            settings = {**settings, **named, **{k: said[k] for k in ("entity",) if k in said}}
            said = {**said, **settings}
        elif said:
            raise InputError(
                "the index has two levels, and which of them is the time cannot be told: name it with time, such as "
                f"time={str(table.index.names[1])!r}"
            )
    return with_levels(table, said), settings


def _named(table: Any, dates: int) -> tuple[Any, dict[str, str]]:
    """A frame whose two index levels have names, and which is which."""
    names = list(table.index.names)
    for place, word in ((dates, "time"), (1 - dates, "entity")):
        if names[place] is None:
            names[place] = word
    index = table.index.set_names(names)
    return table.set_axis(index, axis=0), {"time": str(names[dates]), "entity": str(names[1 - dates])}


def with_levels(table: Any, course: Mapping[str, Any] | None) -> Any:
    """A pandas frame with those levels of its index for columns that a course names as its time and entity; others as they are."""
    if not course or not _is_frame(table):
        return table
    wanted = {str(course[key]).strip() for key in ("time", "entity") if course.get(key) is not None}
    wanted -= {str(column).strip() for column in table.columns}
    if getattr(table.index, "nlevels", 1) == 2 and None in table.index.names:
        dates = [k for k, level in enumerate(table.index.levels) if _is_dates(level)]
        if len(dates) == 1:
            table, _ = _named(table, dates[0])
    levels = [k for k, name in enumerate(table.index.names) if name is not None and str(name).strip() in wanted]
    return table.reset_index(level=levels) if levels else table


def as_they_came(frame: Any, table: Any, kind: str | None, columns: Iterable[str]) -> Any:
    """A frame whose columns have the types that those of the table have; texts where a cell is none of that type (``+1``: one row on)."""
    for name in columns:
        if kind == "pandas":
            own = next((column for column in table.columns if str(column).strip() == name), None)
            if own is None:
                continue
            own_type = table[own].dtype
            try:
                frame[name] = frame[name].astype(getattr(own_type, "categories", table[own]).dtype)
            except (TypeError, ValueError):
                pass
        elif kind == "polars":
            import polars

            kinds = table.collect_schema() if hasattr(table, "collect_schema") else table.schema
            own = next((column for column in kinds if column.strip() == name), None)
            try:
                if own is not None:
                    as_time = kinds[own].is_temporal()
                    frame = frame.with_columns(frame[name].str.strptime(kinds[own]) if as_time else frame[name].cast(kinds[own]))
            except polars.exceptions.PolarsError:
                pass
        elif kind == "pyarrow":
            import pyarrow

            fields = getattr(table, "schema", None)
            place = frame.schema.get_field_index(name)
            try:
                own = None if fields is None else fields.field(name).type
                frame = frame if own is None else frame.set_column(place, name, frame.column(place).cast(own))
            except (KeyError, AttributeError, pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
                pass
        elif isinstance(table, (dict, Frame)) and name in table:
            whole = all(isinstance(cell, int) for cell in table[name])
            cells = [int(cell) if whole and cell.isdecimal() else cell for cell in frame[name]]
            frame = Frame({**frame.to_dict(), name: cells})
    return frame
