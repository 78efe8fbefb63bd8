"""Categories that are called as gaps are in files: a level that is called NA is a level.

The core takes texts such as ``NA`` for gaps wherever they stand, but for levels that somebody lists. A column of categories lists its own.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from clausality._cells import cell_text
from clausality._clausality import InputError
from clausality._filled import OwnColumns

#: Texts that mean "no value" unless something else is said.
MARKS = frozenset(
    ["NA", "NaN", "nan", "null", "NULL", "?", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "-NaN", "-nan"]
    + ["1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"]
)
#: How many states a column of categories keeps unless something else is said: those of more are not listed, so that the rarest can share one.
MOST = 20


def keeping_levels(table: Any, settings: dict[str, Any], config: Any) -> dict[str, Any]:
    """Settings with the levels of columns of categories of which some are called as gaps are; what somebody says about a column comes first.

    >>> keeping_levels({"a": ["NA", "x"]}, {"seed": 1}, None)
    {'seed': 1}
    """
    if isinstance(config, (str, os.PathLike)):
        return settings
    said = {**(dict(config) if hasattr(config, "items") else {}), **{key: value for key, value in settings.items() if value is not None}}
    ways = {name: said.get(name) for name in ("na", "type", "levels")}
    if any(way is not None and not hasattr(way, "items") for way in ways.values()) or "*" in (ways["na"] or {}):
        return settings
    found = {}
    for name, levels in _called_as_gaps(OwnColumns(table)).items():
        if len(levels) <= said.get("max_categories", MOST) and not any(name in (way or {}) for way in ways.values()):
            found[name] = levels
    if not found:
        return settings
    kinds = dict.fromkeys(found, "categorical")
    return {**settings, "type": {**kinds, **(ways["type"] or {})}, "levels": {**found, **(ways["levels"] or {})}}


def _called_as_gaps(table: OwnColumns) -> dict[str, list[str]]:
    """By column of categories without an order: the levels that rows have, the rarest first as the core puts them, where some are called as gaps are."""
    found = {}
    for name in table.names:
        column = table.column(name)
        dtype = getattr(column, "dtype", None)
        if table.library == "pandas" and hasattr(dtype, "categories") and not dtype.ordered:
            if not MARKS & {cell for cell in dtype.categories if isinstance(cell, str)}:
                continue
            counts = column.value_counts().items()
        elif table.library == "polars" and str(dtype).startswith("Categorical"):
            counts = column.drop_nulls().cast(str).value_counts().iter_rows()
        else:
            continue
        try:
            rows = Counter({cell_text(cell, lambda cell: InputError(f"{cell!r} is no level")): count for cell, count in counts if count})
        except InputError:  # the core refuses it in its own words
            continue
        levels = sorted((level for level in rows if level), key=lambda level: (rows[level], level))
        if MARKS & set(levels) and len(levels) > 1:
            found[name] = levels
    return found
