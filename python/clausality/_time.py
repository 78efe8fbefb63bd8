"""Frames in the order of time: index levels that say whose a row is and when, and stamps that come out as they came in."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import Any, Iterable, Iterator, Mapping

from clausality._cells import cell_text
from clausality._clausality import InputError
from clausality._filled import OwnColumns
from clausality._frames import Frame
from clausality._settings import TIME
from clausality._warnings import warn


#: What an index without a name is called where it says when.
UNNAMED = "index"


def _is_frame(table: Any) -> bool:
    """Whether it is a pandas frame: only these have an index."""
    return any(base.__module__.partition(".")[0] == "pandas" and base.__name__ == "DataFrame" for base in type(table).__mro__)


def _is_dates(level: Any) -> bool:
    return getattr(level.dtype, "kind", "O") == "M" or type(level).__name__ in ("DatetimeIndex", "PeriodIndex")


#: What says that rows are no series, if nothing says that they are.
NO_SERIES = ("target", "row_weights", "folds", "repeats")


def in_order(table: Any, settings: dict[str, Any], config: Any = None) -> tuple[Any, dict[str, Any], AbstractContextManager[None]]:
    """A table and settings for learning over time, and in what to learn so that errors say what to do.

    Levels of a pandas index that are named by ``time`` and ``entity`` become columns. Of a MultiIndex of two levels, one of them dates, nothing has to be
    named: the dates are the time, the other level is the entity, unless something else is said that contradicts it. An index that may say when, and is
    left out because nobody named it, is warned of; ``time=False`` leaves it out in silence.
    """
    configured = dict(config) if hasattr(config, "items") else {}
    given = {**configured, **{name: value for name, value in settings.items() if value is not None}}
    said = {name: value for name, value in given.items() if name in TIME and value is not None}
    if not _is_frame(table) or said.get("time") is False:
        return table, settings, _advised(table, said, taken=False)
    against = [name for name in NO_SERIES if given.get(name) is not None] if not said else []
    taken = False
    if "time" not in said and table.index.nlevels == 2 and (config is None or configured) and not against:
        dates = _dates(table.index)
        named = _names(table.index, dates[0]) if len(dates) == 1 else {}
        named = {key: name for key, name in named.items() if key not in said}
        if named and not set(named.values()) & _columns(table):
            settings, taken = {**settings, **named}, True
            said = {**said, **named}
        elif said and len(dates) != 1:
            raise InputError(
                "the index has two levels, and which of them is the time cannot be told: name it with time, such as "
                f"time={str(table.index.names[1])!r}"
            )
    if "time" not in said:
        warn(left_out(table, against))
    table = with_levels(table, said)
    return table, settings, _advised(table, said, taken)


@contextmanager
def _advised(table: Any, said: Mapping[str, Any], taken: bool) -> Iterator[None]:
    """What is wrong with the time of a table says what to do about it.

    :param taken: whether the index was taken for entity and time though nobody named it.
    """
    try:
        yield
    except InputError as error:
        advice = []
        if " is no time; " in str(error) and said.get("time") and _is_durations(table, str(said["time"]).strip()):
            advice.append("durations are read as seconds: parts of a second have to be counted in a smaller unit, as whole numbers")
        if taken:
            advice.append("the index was taken for entity and time: time=False leaves it out")
        error.args = ("; ".join([str(error), *advice]), *error.args[1:])
        raise


def _is_durations(table: Any, name: str) -> bool:
    column = OwnColumns(table).column(name)
    kind = getattr(column, "type", None) if hasattr(column, "to_pylist") else getattr(column, "dtype", None)
    if str(kind).lower().startswith(("duration", "timedelta")):
        return True
    first = next((cell for cell in (column if column is not None else []) if cell is not None), None)
    return isinstance(first, timedelta) or type(first).__name__ == "timedelta64"


#: Fewer rows than this may be in any order.
FEW = 10
#: Rows that a series has, at least, for an index that tells series apart.
OF_SERIES = 5


def left_out(table: Any, against: Iterable[str] = ()) -> Iterator[str]:
    """What is to be said of an index that may say when rows are, and is left out.

    :param against: what was given that a table over time does not go with.
    """
    if not _is_frame(table) or len(table.index) < FEW:
        return
    index = table.index
    levels = index.nlevels
    dates = _dates(index) or _durations(index)
    names = [_called(index, place) for place in range(levels)]
    without = f", without {' and '.join(against)}" if against else ""
    if dates:
        when = dates[-1]
        held = "holds dates" if _is_dates(_level(index, when)) else "holds durations"
        if levels == 1:
            several = "" if index.is_unique else " and entity=…, the column that tells series apart"
            how = f"time={names[0]!r}{several}"
        elif levels == 2:
            how = f"time={names[when]!r}, entity={names[1 - when]!r}"
        else:
            named = f"time={names[when]!r}" if index.names[when] is not None else "time=…, the level of the dates, once rename_axis has named it,"
            how = f"{named} and entity=…, the column or level that tells series apart"
        yield (
            f"the index {held} and is left out, and each row is taken to be independent of the others; if the rows follow each other in time, "
            f"learn over time: {how}{without}{_hidden(table, names)}; time=False says that they do not"
        )
    elif levels == 2 and index.is_unique and None not in index.names:
        numbered = [k for k, level in enumerate(index.levels) if level.dtype.kind in "iu"]
        when = numbered[-1] if numbered else 1
        whose, groups = names[1 - when], index.get_level_values(1 - when).nunique()
        if groups > 1 and len(index) >= OF_SERIES * groups:
            yield (
                f"the rows come in {groups:,} groups of '{whose}', {len(index) // groups:,} rows each on average, and the index that says so is left "
                f"out; if '{names[when]}' says when, learn over time: time={names[when]!r}, entity={whose!r}{without}{_hidden(table, names)}; "
                "time=False says that it does not"
            )


def _hidden(table: Any, names: list[str]) -> str:
    """That levels of the index have the names of columns, which are meant where these are named."""
    both = [repr(name) for name in names if name in _columns(table)]
    return f" (the columns {', '.join(both)} have the names of levels of the index: give these others, with rename_axis)" if both else ""


def _columns(table: Any) -> set[str]:
    return {str(column).strip() for column in table.columns}


def _level(index: Any, place: int) -> Any:
    return index.levels[place] if index.nlevels > 1 else index


def _dates(index: Any) -> list[int]:
    """The levels of an index that are dates."""
    return [place for place in range(index.nlevels) if _is_dates(_level(index, place))]


def _durations(index: Any) -> list[int]:
    """The levels of an index that are durations, and may say how long after some moment a row is; those without a name cannot be told apart."""
    levels = [place for place in range(index.nlevels) if getattr(_level(index, place).dtype, "kind", "O") == "m"]
    return levels if index.nlevels == 1 or None not in index.names else []


def _called(index: Any, place: int) -> str:
    """What a level of an index is called where it is named: one without a name of what it says."""
    if index.names[place] is not None:
        return str(index.names[place]).strip()
    if index.nlevels == 1:
        return UNNAMED
    return "time" if place in _dates(index) else "entity"


def _names(index: Any, dates: int) -> dict[str, str]:
    """What the two levels of an index are called, one of them dates."""
    return {"time": _called(index, dates), "entity": _called(index, 1 - dates)}


def with_levels(table: Any, course: Mapping[str, Any] | None) -> Any:
    """A pandas frame with those levels of its index for columns that a course names as its time and entity; others as they are."""
    if not course or not _is_frame(table):
        return table
    wanted = {str(course[key]).strip() for key in ("time", "entity") if course.get(key) is not None}
    wanted -= _columns(table)
    if table.index.nlevels == 2 and None in table.index.names:
        if len(_dates(table.index)) == 1:
            table = table.set_axis(table.index.set_names([_called(table.index, place) for place in range(2)]), axis=0)
    if table.index.names == [None] and UNNAMED in wanted:
        table = table.rename_axis(UNNAMED)
    levels = [k for k, name in enumerate(table.index.names) if name is not None and str(name).strip() in wanted]
    return table.reset_index(level=levels) if levels else table


def as_they_came(frame: Any, table: Any, kind: str | None, columns: Iterable[str], by_wall: bool) -> Any:
    """A frame whose columns have the types that those of the table have; texts where a cell is none of that type (``+1``: one row on).

    :param by_wall: whether times are what clocks on the wall show, whatever their offset will be then; else they are instants.
    """
    names = list(columns)
    if names and any(text.startswith("+") for text in _listed(frame[names[-1]])):
        names.pop()  # the time, where rows are counted: +1 is no whole number of the table's
    for name in names:
        try:
            if kind == "pandas":
                own = next((column for column in table.columns if str(column).strip() == name), None)
                if own is not None:
                    frame[name] = _for_pandas(frame[name].tolist(), table[own], by_wall)
            elif kind == "polars":
                frame = _with_polars(frame, name, table, by_wall)
            elif kind == "pyarrow":
                frame = _with_arrow(frame, name, table, by_wall)
            elif isinstance(table, (dict, Frame)) and name in table:
                cells = _objects(list(frame[name]), list(table[name]), by_wall)
                frame = Frame({**frame.to_dict(), name: cells})
        except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError, NotImplementedError):
            pass
    return frame


def _listed(column: Any) -> list[Any]:
    """Cells of whatever column as a list."""
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def _for_pandas(texts: list[str], own: Any, by_wall: bool) -> Any:
    """Texts as cells of a column of pandas."""
    import pandas

    kind = own.dtype
    arrow = getattr(kind, "pyarrow_dtype", None)
    zone = getattr(arrow if arrow is not None else kind, "tz", None)
    if zone is not None:
        instants = _instants(texts, zone, by_wall)
        return pandas.to_datetime(pandas.Series([instants[text] for text in texts]), utc=True).dt.tz_convert(zone).astype(kind)
    if hasattr(kind, "categories") and hasattr(own, "cat"):
        labels = kind.categories
        known = {_text(label): label for label in labels.tolist()}
        if all(text in known for text in texts):
            return pandas.Categorical([known[text] for text in texts], dtype=kind)
        return _for_pandas(texts, labels.to_series(), by_wall)
    if getattr(kind, "kind", "") == "m":
        import numpy

        unit = arrow.unit if arrow is not None else numpy.datetime_data(kind)[0]
        return pandas.Series(numpy.array(_lengths(texts, unit), "i8").view(f"m8[{unit}]")).astype(kind)
    if isinstance(kind, pandas.PeriodDtype):
        return pandas.PeriodIndex(texts, dtype=kind)
    if getattr(kind, "kind", "") == "O":
        return pandas.Series(_objects(texts, own.drop_duplicates().tolist(), by_wall), dtype=object)
    return pandas.Series(texts).astype(kind)


def _with_polars(frame: Any, name: str, table: Any, by_wall: bool) -> Any:
    """A polars frame with a column as the table has it."""
    import polars

    kinds = table.collect_schema() if hasattr(table, "collect_schema") else table.schema
    own = next((column for column in kinds if column.strip() == name), None)
    if own is None:
        return frame
    kind, texts = kinds[own], frame[name].to_list()
    zone = getattr(kind, "time_zone", None)
    if zone is not None:
        instants = _instants(texts, zone, by_wall)
        cells = polars.Series(name, [instants[text] for text in texts], dtype=polars.Datetime(kind.time_unit, "UTC"))
        return frame.with_columns(cells.dt.convert_time_zone(zone))
    if kind == polars.Duration:
        lengths = polars.Series(name, _lengths(texts, kind.time_unit), dtype=polars.Int64)
        return frame.with_columns(lengths.cast(kind))
    if kind.is_temporal():
        return frame.with_columns(polars.Series(name, _parsed(texts, kind == polars.Date, kind == polars.Time), dtype=kind))
    try:
        return frame.with_columns(frame[name].cast(kind))
    except polars.exceptions.PolarsError:
        return frame


def _with_arrow(frame: Any, name: str, table: Any, by_wall: bool) -> Any:
    """A pyarrow table with a column as the other has it."""
    import pyarrow

    fields = getattr(table, "schema", None)
    if fields is None and hasattr(table, "limit"):  # a relation of DuckDB
        fields = pyarrow.RecordBatchReader.from_stream(table.limit(0)).schema
    if fields is None:
        return frame
    kind, place = fields.field(name).type, frame.schema.get_field_index(name)
    texts = frame.column(place)
    listed = texts.to_pylist()
    if getattr(kind, "tz", None) is not None:
        instants = _instants(listed, kind.tz, by_wall)
        cells = pyarrow.array([instants[text] for text in listed], kind)
    elif pyarrow.types.is_duration(kind):
        cells = pyarrow.array(_lengths(listed, kind.unit), pyarrow.int64()).cast(kind)
    elif pyarrow.types.is_temporal(kind):
        cells = pyarrow.array(_parsed(listed, pyarrow.types.is_date(kind), pyarrow.types.is_time(kind)), kind)
    elif pyarrow.types.is_dictionary(kind):
        cells = texts.cast(kind.value_type).dictionary_encode().cast(kind)
    else:
        cells = texts.cast(kind)
    return frame.set_column(place, name, cells)


def _objects(texts: list[str], own: list, by_wall: bool) -> list:
    """Texts as the objects that a column holds."""
    known = {_text(cell): cell for cell in own}
    if all(text in known for text in texts):
        return [known[text] for text in texts]
    first: Any = next((cell for cell in own if cell is not None), None)
    if isinstance(first, datetime) and first.tzinfo is not None:
        instants = _instants(texts, first.tzinfo, by_wall)
        return [instants[text].astimezone(first.tzinfo) for text in texts]
    if isinstance(first, timedelta):
        return [type(first)(microseconds=length) for length in _lengths(texts, "us")]
    if type(first).__name__ == "timedelta64":
        return [type(first)(length, "ns") for length in _lengths(texts, "ns")]
    if isinstance(first, (date, time)):
        return _parsed(texts, not isinstance(first, datetime) and isinstance(first, date), isinstance(first, time))
    if all(isinstance(cell, int) and not isinstance(cell, bool) for cell in own):
        return [int(text) for text in texts]
    if first is not None and type(first).__module__.startswith("pandas") and hasattr(first, "freqstr"):  # periods
        return [type(first)(text, freq=first.freq) for text in texts]
    return texts


def _text(cell: Any) -> str | None:
    """A cell as the core reads it; None for what it would not."""
    try:
        return cell_text(cell, lambda _: InputError(""))
    except InputError:
        return None


#: Of the units of durations, how many make a second.
IN_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _lengths(texts: list[str], unit: str) -> list[int]:
    """Durations in a unit, as the core writes them: in seconds. One row on (``+1``) is no duration.

    >>> _lengths(["3600", "-0.5"], "ms")
    [3600000, -500]
    """
    if any(text.startswith("+") for text in texts):
        raise ValueError("rows are no durations")
    return [int(Decimal(text) * IN_A_SECOND[unit]) for text in texts]


def _moment(text: str) -> datetime:
    """A time as the core writes it.

    >>> _moment("2024-03-31T02:30:00+0100").isoformat(), _moment("2024-03-31").isoformat()
    ('2024-03-31T02:30:00+01:00', '2024-03-31T00:00:00')
    """
    return datetime.fromisoformat(re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", text) if "T" in text else text)


def _parsed(texts: list[str], dates: bool, clocks: bool) -> list:
    """Texts as times, as dates or as times of day."""
    if clocks:
        return [time.fromisoformat(text) for text in texts]
    found = {text: _moment(text) for text in set(texts)}
    return [found[text].date() if dates else found[text] for text in texts]


def _zone(zone: Any) -> tzinfo:
    """The rules of a zone that a library names.

    >>> _zone("+02:00"), _zone("Europe/Berlin")
    (datetime.timezone(datetime.timedelta(seconds=7200)), zoneinfo.ZoneInfo(key='Europe/Berlin'))
    """
    if isinstance(zone, tzinfo) and not hasattr(zone, "localize"):
        return zone
    fixed = re.fullmatch(r"([+-])(\d\d):?(\d\d)", str(zone))
    if fixed:
        ahead = timedelta(hours=int(fixed[2]), minutes=int(fixed[3]))
        return timezone(-ahead if fixed[1] == "-" else ahead)
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(str(zone))
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError(f"no zone {zone}") from None


def _instants(texts: list[str], zone: Any, by_wall: bool) -> dict[str, datetime]:
    """The instants, in UTC, that texts name in a zone.

    What clocks never show, because they go forward then, is as long after the last hour that they do; of an hour that they show twice the first is
    meant.

    >>> found = _instants(["2024-03-30T02:30:00+0100", "2024-03-31T02:30:00+0100"], "Europe/Berlin", by_wall=True)
    >>> [moment.isoformat() for moment in found.values()]
    ['2024-03-30T01:30:00+00:00', '2024-03-31T01:30:00+00:00']
    """
    rules = _zone(zone) if by_wall else None
    found = {}
    for text in dict.fromkeys(texts):
        moment = _moment(text)
        if by_wall:
            moment = moment.replace(tzinfo=rules)
        elif moment.tzinfo is None:  # those of UTC are written without an offset
            moment = moment.replace(tzinfo=timezone.utc)
        found[text] = moment.astimezone(timezone.utc)
    return found
