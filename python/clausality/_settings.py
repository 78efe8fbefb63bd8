"""Keyword arguments as settings: the options of the command line under the same names, with underscores."""

from __future__ import annotations

import difflib
import inspect as _inspect
import json
import math
import os
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, TypeVar

from clausality import _arguments
from clausality._clausality import InputError, configured, setting_names
from clausality._keywords import LINES, listed

#: Every setting, as a keyword.
KEYWORDS = tuple(name.replace("-", "_") for name in setting_names())
#: What is also understood.
ALIASES = {"parameters": "parameter", "targets": "target"}

#: How cells become states.
READING = "bins cuts discretize levels max_categories missing na row_weights rows_held separator type".split()
#: Machines, what they measure, and rules for arcs.
MACHINES = (
    "balance clauses encoding ensemble epochs forbid literal_budget literal_limit max_parents models null null_rounds parameter profile "
    "require rivals rounds samples shadows specificity strength threshold tiers type_iii unobserved"
).split()
#: Arcs, how sure they are, and what is predicted.
ARCS = "alpha assembler bootstrap competing consensus cycles ess features restrict score weights".split()
#: Rows in the order of time.
TIME = "time entity lags step holes static instant".split()
#: A target, and how well it is predicted.
TARGET = "target folds repeats".split()
#: Probabilities.
PRIOR = "prior prior_weight".split()

#: Settings that say nothing to a function, by its name: :func:`takes_settings` fills it.
_LEFT_OUT: dict[str, frozenset[str]] = {}


def settings_json(function: str, given: dict[str, Any]) -> str:
    """The settings among the keyword arguments of a function."""
    return to_json({name.replace("_", "-"): value for name, value in _named(function, given)})


@dataclass(frozen=True)
class Chosen:
    """What is asked of a function beside its table."""

    #: Settings, as JSON text.
    settings: str
    #: Threads and the memory limit, as JSON text.
    everywhere: str
    #: How many features of a node to list.
    top: int


def chosen(
    function: str,
    settings: dict[str, Any],
    config: Any,
    threads: int | None,
    memory_limit: int | str | None,
    top: int | None = None,
) -> Chosen:
    """Keyword arguments over a configuration: a TOML file, or a dict of keyword arguments."""
    left_out = _LEFT_OUT.get(function, frozenset())
    for keyword in settings:
        if ALIASES.get(keyword, keyword) in left_out:
            raise TypeError(f"{function}() got an unexpected keyword argument '{keyword}': it would change nothing there")
    if isinstance(config, (str, os.PathLike)):
        wanted = settings_json(function, settings)
        wanted, *told = configured(os.fspath(config), wanted)
    else:
        if config is not None and not hasattr(config, "items"):
            raise _arguments.refused("config", config, "a path or a dict of settings")
        given = {**dict(config or {}), **_without_none(settings)}
        told = [given.pop(name, None) for name in ("threads", "memory_limit", "top")]
        wanted = settings_json(function, given)
    own = [threads, memory_limit, top]
    threads, memory_limit, top = [theirs if mine is None else mine for mine, theirs in zip(own, told)]
    return Chosen(wanted, everywhere_json(threads, memory_limit), 10 if top is None else _arguments.whole("top", top))


def _without_none(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _named(function: str, given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Settings under their names, as JSON writes them; what is None says nothing."""
    seen = set()
    for keyword, value in given.items():
        name = ALIASES.get(keyword, keyword)
        if name not in KEYWORDS:
            near = difflib.get_close_matches(keyword, KEYWORDS, 1)
            meant = f"; did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument '{keyword}'{meant}")
        if value is None or (name == "time" and value is False):  # an index that may say when is left out, which is settled by now
            continue
        if name in seen:
            raise TypeError(f"{function}() got '{name}' under two names")
        seen.add(name)
        yield name, _finite(name, _value(name, value))


def _value(name: str, value: Any) -> Any:
    """A setting as JSON writes it."""
    if name in ("parameter", "unobserved", "target", "models"):
        return _arguments.names({"parameter": "parameters"}.get(name, name), value)
    if name in ("row_weights", "time", "entity"):
        return _arguments.name(name, value)
    if name in ("require", "forbid"):
        if not isinstance(value, (str, Iterable)):
            raise _arguments.refused(name, value, "a list of arcs such as ('PARENT', 'CHILD')")
        arcs = [value] if isinstance(value, str) or _is_pair(value) else value
        return [arc if isinstance(arc, str) else _arc(name, arc) for arc in arcs]
    if name == "tiers":
        return _tiers(value)
    if name == "lags" and not isinstance(value, str) and isinstance(value, Iterable):
        return _lags(list(value))
    if name == "static" and not isinstance(value, str):
        return _arguments.names(name, value)
    if name == "separator" and value == "tab":
        return "\t"
    if hasattr(value, "items"):
        return {_arguments.name(name, key): _plain(entry) for key, entry in value.items()}
    return _plain(value)


def _finite(option: str, value: Any) -> Any:
    """The same, if every number in it is one: JSON has no NaN and nothing infinite."""
    inside = list(value.values()) if hasattr(value, "values") and hasattr(value, "items") else value
    inside = inside.tolist() if hasattr(inside, "tolist") else inside
    if isinstance(inside, float) and not math.isfinite(inside):
        raise InputError(f"{option}: {inside} is no number that can be meant here")
    if isinstance(inside, (list, tuple)):
        for entry in inside:
            _finite(option, entry)
    return value


def _is_pair(value: Any) -> bool:
    """Whether it is an arc, and no list of arcs that happens to have two."""
    return isinstance(value, tuple) and _are_ends(value) and not any(">" in str(end) for end in value)


def _are_ends(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(end, (str, int)) for end in value)


def _arc(name: str, arc: Any) -> str:
    """An arc as it is written; the core knows the names, and where one holds the sign of an arc, which is meant."""
    if not _are_ends(arc):
        raise InputError(f"{name}: {arc!r} is no arc: write ('PARENT', 'CHILD') or 'PARENT>CHILD'")
    parent, child = (_arguments.name(name, end) for end in arc)
    return f"{parent}>{child}"


def _tiers(value: Any) -> list[list[str]]:
    """Tiers as lists, or a file with a line for each."""
    if isinstance(value, (str, os.PathLike)):
        import csv

        try:
            with open(value, encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file, skipinitialspace=True))
        except FileNotFoundError:
            raise InputError(f"{os.fspath(value)}: there is no such file") from None
        value = [[cell.strip() for cell in row if cell.strip()] for row in rows]
        value = [tier for tier in value if tier]
    if not isinstance(value, Iterable):
        raise _arguments.refused("tiers", value, "lists of names, from early to late, or the path of a file")
    return [_arguments.names("tiers", [tier] if isinstance(tier, (str, int)) else tier) for tier in value]


def _lags(steps: list) -> int:
    """How many steps back are meant by a list of all of them."""
    if steps and sorted(steps) == list(range(1, len(steps) + 1)):
        return len(steps)
    last = max(steps, default=3)
    raise _arguments.refused(
        "lags", steps, f"how many steps back, such as {last}, 'auto' or 'auto:{last}': every step up to the last is looked at"
    )


def _plain(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return value


def to_json(value: Any) -> str:
    """JSON text; NumPy's numbers and arrays are numbers and lists."""

    def plain(value: Any) -> Any:
        if hasattr(value, "tolist"):
            return value.tolist()
        if hasattr(value, "__iter__"):
            return list(value)
        raise InputError(f"{value!r} is no setting")

    try:
        return json.dumps(value, default=plain, allow_nan=False)
    except (ValueError, TypeError) as error:
        raise InputError(f"a setting is no number, text, list or dict: {error}") from None


def reading_json(na: Any, separator: str | None) -> str:
    """How the rows of a table for a network are written."""
    if hasattr(na, "items"):
        na = {_arguments.name("na", column): _plain(marks) for column, marks in na.items()}
    return to_json({"na": _finite("na", _plain(na)), "separator": "\t" if separator == "tab" else separator})


def everywhere_json(threads: int | None, memory_limit: int | str | None) -> str:
    """What every function takes."""
    if threads is not None:
        threads = _arguments.whole("threads", threads)
        if not 1 <= threads <= 4096:
            raise InputError(f"threads is {threads}, but between 1 and 4096 are possible")
    return to_json({"threads": threads, "memory_limit": _bytes(memory_limit)})


def _bytes(size: int | str | None) -> int | None:
    """A size such as 800, "64K", "512M", "1.5G" or "2GiB"; units are powers of 1024.

    >>> _bytes("1.5G") == 3 << 29
    True
    """
    if size is None:
        return None
    if not isinstance(size, str):
        return _arguments.whole("memory_limit", size, 1)
    text = size.strip().lower()
    digits = text.rstrip("kmgtib ")
    powers = {"": 0, "b": 0, **{unit + end: 10 * (k + 1) for k, unit in enumerate("kmgt") for end in ("", "b", "ib")}}
    try:
        number = float(digits) * 2.0 ** powers[text[len(digits) :].strip()]
    except (KeyError, ValueError):
        number = 0.0
    if not 1 <= number < 2**64:
        raise InputError(f"memory_limit: '{size}' is no size such as 512M or 4G")
    return int(number)


Function = TypeVar("Function", bound=Callable[..., Any])


def takes_settings(*left_out: str) -> Callable[[Function], Function]:
    """Shows every setting in the signature and the docstring of a function that takes them as ``**settings``, for whoever types or reads it;
    those that are left out, because they would change nothing, are refused."""

    def show(function: Function) -> Function:
        signature = _inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        named = {p.name for p in own}
        _LEFT_OUT[function.__name__] = frozenset(left_out)
        shown = {keyword: "parameters" if keyword == "parameter" else keyword for keyword in KEYWORDS}
        extra = [
            _inspect.Parameter(shown[keyword], _inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Any)
            for keyword in KEYWORDS
            if keyword not in named and keyword not in left_out
        ]
        function.__signature__ = signature.replace(parameters=own + extra)  # type: ignore[attr-defined]
        taken = [keyword for keyword in LINES if keyword in KEYWORDS and keyword not in named and keyword not in left_out]
        if function.__doc__:  # there is none under python -OO
            function.__doc__ = f"{_inspect.cleandoc(function.__doc__)}\n\nSettings, as on the command line:\n\n{listed(taken)}\n"
        return function

    return show
