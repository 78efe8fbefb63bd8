"""Arguments, checked where they come in: what is wrong is refused under the keyword's name, with what is expected."""

from __future__ import annotations

import math
import operator
import os
from typing import Any, Iterable, Mapping

from clausality._clausality import InputError

#: The largest whole number that the core takes.
MOST = 2**64 - 1


def shown(value: Any) -> str:
    """A value as a message shows it: not longer than a line."""
    text = " ".join(ascii(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def refused(keyword: str, value: Any, expected: str) -> InputError:
    """What is wrong with an argument."""
    return InputError(f"{keyword} is {shown(value)}, but expected {expected}")


def whole(keyword: str, value: Any, least: int = 0, most: int = MOST) -> int:
    """A whole number within bounds; NumPy's count too, truth values do not.

    >>> whole("rows", 3)
    3
    """
    bounds = f"a whole number of at least {least}" if most >= 2**63 else f"a whole number from {least} to {most}"
    try:
        number = operator.index(value)
    except TypeError:
        raise refused(keyword, value, bounds) from None
    if isinstance(value, bool) or not least <= number <= most:
        raise refused(keyword, value, bounds)
    return number


def number(keyword: str, value: Any) -> float:
    """A finite number."""
    try:
        found = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise refused(keyword, value, "a finite number" if isinstance(value, float) else "a number")
    return found


def path(keyword: str, value: Any) -> str:
    """A path as text."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise refused(keyword, value, "a path") from None


def text(keyword: str, value: Any) -> str:
    """A text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise refused(keyword, value, "a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(f"{keyword}: {shown(value)} is no valid Unicode: it holds half a character") from None
    return value


def name(keyword: str, value: Any) -> str:
    """The name of a column or node, as tables are read: labels that are no texts (pandas' numbers) by their text, without blanks at the ends.

    >>> name("target", " income"), name("target", 0)
    ('income', '0')
    """
    if value is None or isinstance(value, (Mapping, list, set, frozenset, bytes)):
        raise refused(keyword, value, "a name")
    return text(keyword, value if isinstance(value, str) else str(value)).strip()


def names(keyword: str, value: Any) -> list[str]:
    """One name or several.

    >>> names("parameters", "age"), names("parameters", ["age", 3])
    (['age'], ['age', '3'])
    """
    return [name(keyword, each) for each in several(keyword, value)]


def several(keyword: str, value: Any) -> list[Any]:
    """What may be one name or a list of names, as a list."""
    if isinstance(value, (str, int)):
        return [value]
    if isinstance(value, (Mapping, bytes)) or not isinstance(value, Iterable):
        raise refused(keyword, value, "a name or a list of names")
    return list(value)


def pairs(keyword: str, value: Any, expected: str) -> list[tuple[Any, Any]]:
    """What is given by name: a dict, or a list of pairs; None is nothing."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        return list(value.items())
    listed = list(value) if isinstance(value, Iterable) and not isinstance(value, (str, bytes)) else None
    if listed is None or not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in listed):
        raise refused(keyword, value if listed is None else listed, expected)
    return [(key, entry) for key, entry in listed]
