"""What deserves attention, told as the command line tells it: a line for each kind of thing, and how many columns it is about.

Documents hold a sentence for every column; its words say of which kind it is. Those of several are the command line's.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from dataclasses import dataclass
from html import escape
from typing import Iterable, Sequence

#: Columns or states that are named where several are told together.
NAMED = 8
#: Lines that are shown with a result; the others are counted.
SHOWN = 5


@dataclass(frozen=True)
class Kind:
    """What several warnings have in common."""

    #: The sentence about one; its groups are ``name``, perhaps ``state``, and the ``figure`` that is told of each.
    one: re.Pattern[str]
    #: What several of them have in common.
    several: str
    #: What would change it, as a keyword argument; of NAME.
    advice: str = ""
    #: What they are.
    thing: str = "column"


def _of_column(one: str, several: str, advice: str = "") -> Kind:
    return Kind(re.compile(rf"column '(?P<name>.+?)': {one}", re.S), several, advice)


def _of_node(one: str, several: str, thing: str = "column") -> Kind:
    return Kind(re.compile(rf"'(?P<name>.+?)': {one}", re.S), several, thing=thing)


KINDS = [
    _of_column("no value in (?P<figure>[0-9,]+ of [0-9,]+ rows?): those are unknown", "have gaps, which are unknown"),
    _of_column("no value in (?P<figure>[0-9,]+ of [0-9,]+ rows?): those get the state 'missing'", "have gaps, which get the state 'missing'"),
    _of_column(".*: it looks like an id and is dropped, unless kept", "look like ids and are dropped", "type={'NAME': 'keep'}"),
    _of_column(
        ".*: it says nothing and is dropped, unless kept",
        "hold names of which hardly any is frequent, and are dropped",
        "type={'NAME': 'keep'}",
    ),
    _of_column(
        "[0-9,]+ whole numbers and none occurs twice; .*",
        "hold whole numbers of which none occurs twice; if they number or name the rows, leave them out",
        "type={'NAME': 'ignore'}",
    ),
    _of_column("(?:every cell|no cell has a value).*: dropped", "hold one value or none and are dropped"),
    _of_column(
        "(?P<figure>[0-9,]+) categories: the [0-9,]+ most frequent are kept, .*",
        "have so many categories that the rarest share a state",
    ),
    _of_column(
        "(?P<figure>.+), apart from all other numbers; .*",
        'have values apart from all others; if that means "no value", say so of each',
        "na={'NAME': VALUE}",
    ),
    _of_column(
        "[0-9,]+ of [0-9,]+ cells are numbers, but (?P<figure>.+) is not, so all are read as categories; .*",
        'are numbers but for some texts, so all their cells are read as categories; if that means "no value", say so of each',
        "na={'NAME': VALUE}",
    ),
    _of_column(
        "(?P<figure>'.*') looks like a number, but is not written plainly, .*",
        "look like numbers, but are not written plainly, so all their cells are read as categories; if they are numbers, say so",
        "type={'NAME': 'numeric'}",
    ),
    _of_column(
        "the rows stand in its order, but each is taken to be independent of the others: if it says when, learn over time",
        "are dates in whose order the rows stand, but each row is taken to be independent of the others: if one says when, learn over time",
        "time='NAME'",
    ),
    _of_node("state '(?P<state>.+)' has too few rows and was left out of .*", "have too few rows and were left out of some fits", "state"),
    _of_node(
        "fewer than two of its states have rows enough, .*",
        "have fewer than two states with rows enough, or no other column varies, so nothing is said about them",
    ),
    _of_node(
        "all but one of its states are too rare .*",
        "have but one frequent state: the others are too rare to say how well they are predicted",
    ),
    _of_node("no signal, .*", "have no signal"),
]


def together(warnings: Iterable[str]) -> list[str]:
    """Warnings with one line for each kind, and how many it is about; a kind with one warning keeps its words.

    >>> gaps = "column '{}': no value in {} of 9 rows: those are unknown".format
    >>> together([gaps("age", 1), "the table is small", gaps("fare", 2)])
    ['2 columns have gaps, which are unknown: age (1 of 9 rows), fare (2 of 9 rows)', 'the table is small']
    >>> together(["column 'id': 9 different texts in 9 cells: it looks like an id and is dropped, unless kept"])
    ["column 'id': 9 different texts in 9 cells: it looks like an id and is dropped, unless kept (type={'id': 'keep'})"]
    """
    lines: list[str] = []
    alike: dict[str, list[re.Match[str]]] = {}
    places: dict[str, tuple[int, Kind]] = {}
    for warning in warnings:
        matches = ((kind, kind.one.fullmatch(warning)) for kind in KINDS)
        kind, match = next(((kind, match) for kind, match in matches if match), (None, None))
        if kind is None or match is None:
            lines.append(warning)
            continue
        if kind.several not in alike:
            places[kind.several] = len(lines), kind
            lines.append(warning)
        alike.setdefault(kind.several, []).append(match)
    for several, found in alike.items():
        place, kind = places[several]
        lines[place] = _line(kind, found)
    return lines


def _line(kind: Kind, found: Sequence[re.Match[str]]) -> str:
    """Those of one kind in a line."""
    if len(found) == 1:
        # What stands for no value differs, and is told in the sentence.
        advice = f" ({kind.advice.replace('NAME', found[0]['name'])})" if kind.advice and "VALUE" not in kind.advice else ""
        return found[0][0] + advice

    def named(match: re.Match[str]) -> str:
        told = match.groupdict()
        name = f"{told['name']}={told['state']}" if "state" in told else told["name"]
        return f"{name} ({told['figure']})" if "figure" in told else name

    names = [named(match) for match in found[:NAMED]]
    if len(found) > NAMED:
        names.append(f"and {len(found) - NAMED:,} more")
    advice = f" ({kind.advice})" if kind.advice else ""
    return f"{len(found):,} {kind.thing}s {kind.several}: {', '.join(names)}{advice}"


def width() -> int:
    """Letters of a line on the screen: what COLUMNS or the terminal says, else 80."""
    return max(20, shutil.get_terminal_size((80, 24)).columns)


def wrapped(text: str) -> list[str]:
    """A text in lines that fit the screen."""
    return textwrap.wrap(text, width(), subsequent_indent="  ", break_on_hyphens=False)


def in_lines(warnings: Sequence[str]) -> list[str]:
    """Warnings below a result: the first few, in lines that fit the screen."""
    lines = [wrapped(f"warning: {text}") for text in warnings[:SHOWN]]
    more = [f"… and {len(warnings) - SHOWN} more in .warnings"] if len(warnings) > SHOWN else []
    return [line for each in lines for line in each] + more


def in_html(warnings: Sequence[str]) -> str:
    """The same below a picture or a table."""
    more = [f"… and {len(warnings) - SHOWN} more in .warnings"] if len(warnings) > SHOWN else []
    return "".join(f"<p><small>{escape(text)}</small></p>" for text in [*(f"warning: {text}" for text in warnings[:SHOWN]), *more])
