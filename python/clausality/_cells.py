"""What a cell is in words: the text that a CSV of the same table would hold, or why there is none."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable
from uuid import UUID

from clausality import _arguments
from clausality._clausality import InputError

#: Zones whose clocks show the instants themselves.
UTC = ("UTC", "+00:00", "Etc/UTC", "Z")

#: What the core leaves out where it writes an instant.
MIDNIGHT = "T00:00:00"

Refuse = Callable[[Any], InputError]


def refuser(table: str, column: Any) -> Refuse:
    return lambda value: InputError(f"{table}: column '{column}' holds {no_cell(value)}")


def no_cell(value: Any) -> str:
    """What is wrong with something that is no cell, and what to do."""
    return (
        f"{_arguments.shown(value)} of type {named(type(value))}: a cell is a text, a number, a truth value, a date, a duration or None; turn "
        "the cells into one of these, or leave the column out"
    )


def named(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def cell_text(cell: Any, refuse: Refuse) -> str | None:
    """A cell as a CSV of the same table would hold it; None for a gap."""
    if cell is None or isinstance(cell, str):
        return cell if cell is None else str(cell)
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int):
        return int.__repr__(cell)
    if isinstance(cell, float):
        return number_text(float(cell))
    if isinstance(cell, datetime):  # NaT is one that is not itself
        if cell != cell:
            return None
        if cell.utcoffset() is None or str(cell.tzinfo) in UTC:
            return cell.replace(tzinfo=None).isoformat().removesuffix(MIDNIGHT)
        return f"{cell.replace(tzinfo=None).isoformat()}{cell:%z}"
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, time):
        return cell.replace(microsecond=0, tzinfo=None).isoformat()
    if isinstance(cell, timedelta):
        return number_text(cell.total_seconds())
    if isinstance(cell, Decimal):
        return None if cell.is_nan() else format(cell, "f")
    if isinstance(cell, Fraction):
        return number_text(float(cell))
    if isinstance(cell, UUID):
        return str(cell)
    kind = type(cell)
    library = kind.__module__.partition(".")[0]
    if library == "numpy" and hasattr(cell, "item"):
        if kind.__name__ in ("float16", "float32"):  # shown with its own digits, not with those of its double
            return number_text(float(str(cell)))
        if kind.__name__ == "timedelta64":
            return None if str(cell) == "NaT" else number_text(float(cell / type(cell)(1, "s")))
        plain = cell.item()
        if type(plain) is not kind:
            return cell_text(plain, refuse) if kind.__name__ != "datetime64" else _instant(cell)
    if library == "pandas" and kind.__name__ in ("NAType", "NaTType"):
        return None
    if library == "pandas" and kind.__name__ in ("Interval", "Period"):
        return str(cell)
    raise refuse(cell)


def _instant(cell: Any) -> str | None:
    text = str(cell.astype("datetime64[s]"))
    return None if text == "NaT" else text.removesuffix(MIDNIGHT)


def number_text(value: float) -> str | None:
    """The shortest text that reads back as the number, written as the core writes it.

    >>> [number_text(x) for x in (1.0, 0.5, -0.0, 1e15, 2.5e-7, 0.00002)]
    ['1', '0.5', '0', '1e15', '2.5e-7', '0.00002']
    """
    if value != value:
        return None
    if value == 0:
        return "0"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    digits = Decimal(repr(value)).normalize()
    if 1e-5 <= abs(value) < 1e15:
        return format(digits, "f")
    return format(digits, "e").replace("e+", "e")
