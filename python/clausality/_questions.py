"""Questions to a network and its answers."""

from __future__ import annotations

import re
from html import escape
from typing import Any, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView

from clausality import _arguments
from clausality._cells import cell_text
from clausality._clausality import InputError
from clausality._documents import Document, counted
from clausality._frames import Frame
from clausality._settings import to_json
from clausality._warnings import warn


#: What is expected where something is said of nodes.
BY_NODE = "a dict such as {'node': 'state'}"


def question(
    states: Mapping[str, list[str]],
    target: str | Iterable[str],
    given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None,
    do: Mapping[str, Any] | None,
    likely: Mapping[str, Mapping[str, float]] | None,
    asked: str,
    samples: int | None,
    seed: int,
) -> str:
    """A question as the core takes it, to a network whose nodes have these states."""

    def by_node(keyword: str, said: Any) -> list[tuple[str, Any]]:
        return [(node_name(states, keyword, node), value) for node, value in _arguments.pairs(keyword, said, BY_NODE)]

    def text(node: str, value: Any) -> str:
        return _text(node, value, states.get(node, []))

    if hasattr(given, "to_dict") and not isinstance(given, Mapping):  # a row of a frame, which may have more columns than there are nodes
        row = {node_name(states, "given", name): value for name, value in given.to_dict().items()}
        warn(nearly_nodes(states, row))
        given = {name: value for name, value in row.items() if name in states}
    observed, reports = [], by_node("likely", likely)
    for node, value in by_node("given", given):
        if is_gap(value):  # nothing is known of it
            continue
        if isinstance(value, Mapping):
            reports.append((node, value))
        elif isinstance(value, (set, frozenset)):
            observed.append((node, [text(node, one) for one in sorted(value, key=str)]))
        else:
            several = value if isinstance(value, (list, tuple)) else [value]
            observed.append((node, [text(node, one) for one in several]))
    weighted = []
    for node, weights in reports:
        weights = _arguments.pairs("likely", weights, "a dict such as {'node': {'state': 0.8, '*': 0.1}}")
        weighted.append((node, [(text(node, state), _arguments.number(f"likely of '{node}'", p)) for state, p in weights]))
    return to_json(
        {
            "targets": [node_name(states, "target", name) for name in _arguments.several("target", target)],
            "given": observed,
            "set": [(node, text(node, value)) for node, value in by_node("do", do)],
            "likely": weighted,
            "asked": asked,
            "samples": None if samples is None else _arguments.whole("samples", samples),
            "seed": _arguments.whole("seed", seed),
        }
    )


def nearly_nodes(states: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[str]:
    """Of the names of a row that are no nodes those that may be meant for one of which the row says nothing.

    >>> list(nearly_nodes({"smoke": ["yes", "no"]}, {"Smoke": "yes", "id": 7}))
    ["given: 'Smoke' is no node and says nothing: is 'smoke' meant?"]
    """
    plain = {node.casefold(): node for node in states if node not in row}
    for name in row:
        if name not in states and name.casefold() in plain:
            yield f"given: '{name}' is no node and says nothing: is '{plain[name.casefold()]}' meant?"


def is_gap(value: Any) -> bool:
    """Whether a cell has no value: None, a NaN, pandas' NA or NaT.

    >>> is_gap(float("nan")), is_gap(0), is_gap([None])
    (True, False, False)
    """
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def node_name(states: Mapping[str, Any], keyword: str, name: Any) -> str:
    """The name of a node as the network has it."""
    return name if isinstance(name, str) and name in states else _arguments.name(keyword, name)


def _text(node: str, value: Any, states: Iterable[str] = ()) -> str:
    """A state or value as text; a truth value is the state that says so, however it is written."""

    def refuse(value: Any) -> InputError:
        return InputError(f"node '{node}': {value!r} is neither a state nor a value")

    text = cell_text(value, refuse)
    if text is None:
        raise refuse(value)
    if not isinstance(value, str) and text in ("true", "false") and text not in states:
        same = [state for state in states if state.lower() == text]
        text = same[0] if len(same) == 1 else text
    return _arguments.text(f"node '{node}'", text)


#: What is expected where something is said of what states are worth and of what can be done.
WORTHS = "a dict such as {'utility': [{'when': {'node': 'state'}, 'value': 10}], 'action': [{'do': {'node': 'state'}, 'cost': 1}]}, or a file of it"


def worths(states: Mapping[str, list[str]], said: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """What states are worth and what actions cost, as the core takes it.

    >>> worths({"lung": ["yes", "no"]}, {"utility": [{"when": {"lung": "yes"}, "value": -10}]})
    {'utility': [{'when': {'lung': 'yes'}, 'value': -10.0}], 'action': []}
    """
    for keyword in said:
        if keyword not in ("utility", "action"):
            raise InputError(f"the utility has {keyword!r}, but expected {WORTHS}")
    return {
        "utility": _worths(states, "utility", said.get("utility"), "when", "value"),
        "action": _worths(states, "action", said.get("action"), "do", "cost"),
    }


def _worths(states: Mapping[str, list[str]], keyword: str, said: Any, nodes: str, number: str) -> list[dict[str, Any]]:
    """Some of what is worth or costs something: states by node, and a number, which a cost may lack."""
    such_as = f"such as [{{'{nodes}': {{'node': 'state'}}, '{number}': 10}}]"
    if said is None:
        return []
    if isinstance(said, (str, bytes, Mapping)) or not isinstance(said, Iterable):
        raise _arguments.refused(f"'{keyword}' of the utility", said, f"a list {such_as}")
    found = []
    for place, entry in enumerate(said, start=1):
        here = f"{keyword} {place}"
        if not isinstance(entry, Mapping):
            raise _arguments.refused(here, entry, f"a dict: a list is {such_as}")
        for key in entry:
            if key not in (nodes, number):
                raise InputError(f"{here} has {key!r}, but expected '{nodes}' and '{number}', {such_as}")
        named = entry.get(nodes)
        if named is not None and not isinstance(named, Mapping):
            raise _arguments.refused(f"'{nodes}' of {here}", named, BY_NODE)
        texts = {}
        for node, state in (named or {}).items():
            node = node_name(states, f"'{nodes}' of {here}", node)
            if isinstance(state, (list, tuple, set, frozenset, Mapping)):
                raise _arguments.refused(f"'{node}' of {here}", state, "one state: of several each is an entry of its own")
            texts[node] = _text(node, state, states.get(node, []))
        made: dict[str, Any] = {nodes: texts}
        if number in entry or number == "value":
            made[number] = _arguments.number(f"'{number}' of {here}", entry.get(number))
        found.append(made)
    return found


class Answer(Document):
    """The probability of every state of a node.

    >>> import clausality as cl
    >>> answer = cl.load("asia").query("bronc", given={"smoke": "yes"})
    >>> answer.probabilities, answer.most_likely, answer["yes"]
    ({'yes': 0.6, 'no': 0.4}, 'yes', 0.6)
    >>> answer.evidence_probability
    0.5
    """

    def __init__(self, document: dict[str, Any], cells: Mapping[str, Any] | None = None):
        super().__init__(document)
        #: The values of the column that its states stand for, where they are numbers or truth values.
        self._cells: dict[str, Any] = dict(cells or {})
        #: The probability of every state.
        self.probabilities: dict[str, float] = document["posterior"]
        #: Under ``do``: the least and the most that each can be over all graphs that are equally good; None where nothing is done.
        self.low: dict[str, float] | None = document.get("low")
        self.high: dict[str, float] | None = document.get("high")
        #: Under ``do``, of a run with ``bootstrap``: the same over the graphs learned from rows drawn anew, for what the rows leave open (``low``, ``high``, ``rounds``, ``draws``).
        self.replicates: dict[str, Any] | None = document.get("replicates")
        #: What to beware of, in a sentence: under ``do`` arcs whose direction these rows alone gave, and values that say more than which they are; None where
        #: there is nothing.
        self.caution: str | None = in_python(document.get("caution"))
        #: How probable what was observed is.
        self.evidence_probability: float = document["evidence_probability"]
        #: Of an estimate: the standard error of every probability.
        self.standard_error: dict[str, float] | None = document.get("standard_error")

    @staticmethod
    def of(document: dict[str, Any], cells: Mapping[str, Mapping[str, Any]] | None = None) -> Answer | Answers:
        """One answer, or one for each of several targets.

        :param cells: by node, the values of its column that its states stand for.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> type(cl.Answer.of(asia.query(["lung", "tub"]).document)).__name__
        'Answers'
        """
        cells = cells or {}
        target = document["target"]
        return Answer(document, cells.get(target)) if isinstance(target, str) else Answers(document, cells)

    @property
    def most_likely(self) -> Any:
        """The most probable state; of equals the first. Where the states are numbers or truth values of a column it is one of these, as a prediction is.

        >>> import clausality as cl
        >>> cl.load("asia").query("smoke").most_likely
        'yes'
        >>> cl.learn({"door": ["a", "b"] * 50, "open": [True, False] * 50}).network.query("open", {"door": "a"}).most_likely
        True
        """
        state = max(self.probabilities, key=self.probabilities.__getitem__)
        return self._cells.get(state, state)

    def _state(self, key: Any) -> str | None:
        """The state that is meant: by its name, or by the value of the column that it stands for."""
        if isinstance(key, (list, dict, set)):
            return None
        if isinstance(key, str) and key in self.probabilities:
            return key
        truth = type(key).__name__ in ("bool", "bool_") or (isinstance(key, str) and key.lower() in ("true", "false"))
        for state, cell in self._cells.items():
            if cell == key and isinstance(cell, bool) == truth:
                return state
        try:
            text = _text(self.document["target"], key.lower() == "true" if truth and isinstance(key, str) else key, self.probabilities)
        except InputError:
            return None
        if truth or text in self.probabilities:
            return text if text in self.probabilities else None
        same = [state for state in self.probabilities if _number(state) == _number(text) is not None]
        return same[0] if len(same) == 1 else None

    def __getitem__(self, state: Any) -> float:
        found = self._state(state)
        if found is None:
            raise KeyError(f"node '{self.document['target']}' has no state {state!r}; it has {', '.join(map(repr, self.probabilities))}")
        return self.probabilities[found]

    def __contains__(self, state: object) -> bool:
        return self._state(state) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.probabilities)

    def __len__(self) -> int:
        return len(self.probabilities)

    def keys(self) -> KeysView[str]:
        """The states.

        >>> import clausality as cl
        >>> list(cl.load("asia").query("smoke").keys())
        ['yes', 'no']
        """
        return self.probabilities.keys()

    def values(self) -> ValuesView[float]:
        """The probabilities, in the order of the states.

        >>> import clausality as cl
        >>> sum(cl.load("asia").query("smoke").values())
        1.0
        """
        return self.probabilities.values()

    def items(self) -> ItemsView[str, float]:
        """States and their probabilities: ``dict(answer)`` works too.

        >>> import clausality as cl
        >>> list(cl.load("asia").query("smoke").items())
        [('yes', 0.5), ('no', 0.5)]
        """
        return self.probabilities.items()

    def _bands(self) -> list[tuple[str, dict[str, float], dict[str, float]]]:
        """Under ``do``: the band over equally good graphs, where it is one, and that over the graphs learned again."""
        bands = []
        if self.low is not None and self.high is not None and self.low != self.high:
            bands.append(("from … to", self.low, self.high))
        if self.replicates is not None:
            bands.append(("again", self.replicates["low"], self.replicates["high"]))
        return bands

    def __repr__(self) -> str:
        bands = self._bands()
        rows = [["", "", *(title for title, _, _ in bands)]] if bands else []
        for state, p in self.probabilities.items():
            rows.append([state, f"{p:.4f}", *(f"{low[state]:.4f} … {high[state]:.4f}" for _, low, high in bands)])
        told = [_again(self.replicates)] if self.replicates else []
        return "\n".join([_heading(self.document, self.target), *_lined(rows, "  "), *told, *([self.caution] if self.caution else [])])

    def _repr_html_(self) -> str:
        columns: dict[str, list] = {self.target: list(self.probabilities), "P": [round(p, 6) for p in self.probabilities.values()]}
        for title, low, high in self._bands():
            names = ("from", "to") if title != "again" else ("again from", "again to")
            for name, ends in zip(names, (low, high)):
                columns[name] = [round(p, 6) for p in ends.values()]
        told = [_again(self.replicates)] if self.replicates else []
        told += [self.caution] if self.caution else []
        notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in told)
        return f"<p>{escape(_heading(self.document, self.target))}</p>{Frame(columns)._repr_html_()}{notes}"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _lined(rows: list[list[str]], before: str = "", left: int = 1) -> list[str]:
    """Cells below each other, the first columns to the left.

    >>> _lined([["", "", "band"], ["yes", "0.5", "0.1 … 0.9"], ["no", "0.5", ""]])
    ['               band', 'yes  0.5  0.1 … 0.9', 'no   0.5']
    """
    widths = [max(map(len, column)) for column in zip(*rows)]

    def cell(k: int, text: str) -> str:
        return text.ljust(widths[k]) if k < left else text.rjust(widths[k])

    return [(before + "  ".join(cell(k, text) for k, text in enumerate(row))).rstrip() for row in rows]


def _again(replicates: Mapping[str, Any]) -> str:
    """What the band over what was learned again is."""
    return f"again: what the rows leave open, over {counted(replicates['rounds'], 'graph')} learned from rows drawn anew"


class Answers(Document):
    """What a network says of several nodes, each an :class:`Answer`.

    >>> import clausality as cl
    >>> both = cl.load("asia").query(["lung", "bronc"], given={"smoke": "yes"}, joint=True)
    >>> both["lung"].most_likely, both["bronc"].most_likely
    ('no', 'yes')
    >>> [round(p, 2) for p in both.joint["probability"]]
    [0.06, 0.04, 0.54, 0.36]
    """

    def __init__(self, document: dict[str, Any], cells: Mapping[str, Mapping[str, Any]] | None = None):
        super().__init__(document)
        self._cells = {node: dict(cells[node]) for node in document["target"] if cells and node in cells}

    def __getitem__(self, node: str) -> Answer:
        if node not in self.document["target"]:
            raise KeyError(f"'{node}' was not asked about; it was {', '.join(map(repr, self.document['target']))}")
        document = {key: value for key, value in self.document.items() if key != "joint"}
        error = (document.pop("standard_error", None) or {}).get(node)
        for key in ("low", "high"):
            if key in document:
                document[key] = document[key][node]
        if "replicates" in document:
            again = document["replicates"]
            document["replicates"] = {**again, "low": again["low"][node], "high": again["high"][node]}
        found = {**document, "target": node, "posterior": self.document["posterior"][node]}
        return Answer({**found, "standard_error": error} if error else found, self._cells.get(node))

    def __iter__(self) -> Iterator[str]:
        return iter(self.document["target"])

    def __len__(self) -> int:
        return len(self.document["target"])

    @property
    def joint(self) -> Frame | None:
        """The probability of every combination of states, if that was asked for.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> len(asia.query(["lung", "tub"], joint=True).joint), asia.query(["lung", "tub"]).joint
        (4, None)
        """
        found = self.document.get("joint")
        if found is None:
            return None
        columns = {node: [row["states"][node] for row in found] for node in self.document["target"]}
        return Frame({**columns, "probability": [row["probability"] for row in found]})

    def __repr__(self) -> str:
        return "\n".join(repr(self[node]) for node in self)


class Why(Document):
    """What each finding did to a node, whatever their order: the pushes add up to what happened (Shapley).

    >>> import clausality as cl
    >>> why = cl.load("asia").why("lung", {"smoke": "yes", "xray": "yes"})
    >>> why
    lung given smoke=yes, xray=yes
      before     yes 0.0550  no 0.9450
      xray=yes   yes +0.4899  no -0.4899
      smoke=yes  yes +0.1011  no -0.1011
      after      yes 0.6460  no 0.3540
    >>> round(sum(push["yes"] for push in why.pushes.values()) - (why.after["yes"] - why.before["yes"]), 9)
    0.0
    """

    def __init__(self, document: dict[str, Any]):
        super().__init__(document)
        #: The node without the findings, and with all of them.
        self.before: dict[str, float] = document["why"]["before"]
        self.after: dict[str, float] = document["why"]["after"]
        #: By finding, the strongest first: by how much it moved the probability of every state.
        self.pushes: dict[str, dict[str, float]] = {entry["node"]: entry["push"] for entry in document["why"]["findings"]}
        #: The same for the log-odds; None for a state that some of the findings settle.
        self.log_odds: dict[str, dict[str, float | None]] = {
            entry["node"]: entry["log_odds"] for entry in document["why"]["findings"]
        }

    def __repr__(self) -> str:
        evidence = self.document["evidence"]
        named = [(f"{node}={evidence[node]}" if node in evidence else node, push) for node, push in self.pushes.items()]
        width = max(len(name) for name in ["before", *(name for name, _ in named)])

        def line(name: str, numbers: dict[str, float], sign: str) -> str:
            return f"  {name.ljust(width)}  " + "  ".join(f"{state} {p:{sign}.4f}" for state, p in numbers.items())

        lines = [line("before", self.before, ""), *(line(name, push, "+") for name, push in named), line("after", self.after, "")]
        return "\n".join([_heading(self.document, self.document["target"]), *lines])


class Decision(Document):
    """What every action is worth, and what it would be worth to know more before.

    >>> import clausality as cl
    >>> worth = {"utility": [{"when": {"dysp": "yes"}, "value": -100}], "action": [{"do": {"smoke": "no"}, "cost": 5}]}
    >>> decision = cl.load("asia").decide(worth)
    >>> decision
                cost   worth        from … to
    do nothing     0  -43.60
    smoke=no       5  -36.91  -47.26 … -36.91  best
    not the best in all 3 graphs that are equally good
    >>> decision.best, decision.sure
    ({'smoke': 'no'}, False)
    """

    def __init__(self, document: dict[str, Any]):
        super().__init__(document)
        found = document["decision"]
        #: Every action: ``do``, ``cost``, ``expected``, ``low``, ``high``; of a run with ``bootstrap`` also ``replicates`` (``low``, ``high``).
        self.actions: list[dict[str, Any]] = found["actions"]
        #: What the best one sets; of those that are worth the same the first.
        self.best: dict[str, str] = found["best"]
        #: What the others set that are worth as much: any of them.
        self.level: list[dict[str, str]] = found.get("level", [])
        #: Whether it is the best in all graphs that are equally good.
        self.sure: bool = found["sure"]
        #: What knowing a node before deciding would be worth, the most first.
        self.information: dict[str, float] = {entry["node"]: entry["value"] for entry in found["information"]}
        #: Of a run with ``bootstrap``: over how many graphs learned from rows drawn anew (``rounds``, ``draws``), and in which part of them the ``best`` is.
        self.replicates: dict[str, Any] | None = found.get("replicates")
        #: What to beware of, in a sentence: arcs whose direction these rows alone gave; None where there is nothing.
        self.caution: str | None = in_python(found.get("caution"))

    def _columns(self) -> dict[str, list[str]]:
        """What is shown of the actions, as texts by column."""
        worths = [action[key] for action in self.actions for key in ("expected", "low", "high")]
        worth, cost = _places(worths), _places([action["cost"] for action in self.actions])

        def band(ends: Mapping[str, float]) -> str:
            return "" if ends["low"] == ends["high"] else f"{ends['low']:.{worth}f} … {ends['high']:.{worth}f}"

        columns = {
            "": [_done(action["do"]) for action in self.actions],
            "cost": [f"{action['cost']:.{cost}f}" for action in self.actions],
            "worth": [f"{action['expected']:.{worth}f}" for action in self.actions],
        }
        if any(map(band, self.actions)):
            columns["from … to"] = [band(action) for action in self.actions]
        if self.replicates:
            columns["again"] = [band(action["replicates"]) for action in self.actions]
        equals = [self.best, *self.level]
        columns[" "] = [("level" if self.level else "best") if action["do"] in equals else "" for action in self.actions]
        return columns

    def _notes(self) -> list[str]:
        notes = []
        if self.level:
            notes.append(f"{', '.join(map(_done, [self.best, *self.level]))} are worth the same: any of them")
        if not self.sure:
            notes.append(f"not the best in all {self.document['decision']['members']} graphs that are equally good")
        if self.replicates:
            notes.append(f"{_again(self.replicates)}; {_done(self.best)} is the best in {self.replicates['best']:.0%} of them")
        return [*notes, *([self.caution] if self.caution else [])]

    def __repr__(self) -> str:
        columns = self._columns()
        rows = [list(columns), *(list(row) for row in zip(*columns.values()))]
        return "\n".join([*_lined(rows), *self._notes()])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in self._notes())
        return f"{Frame(self._columns())._repr_html_()}{notes}"


def in_python(caution: str | None) -> str | None:
    """What to beware of, with options as keyword arguments.

    >>> in_python("To see how much hangs on that, learn with --bootstrap 100; to say what comes first, with --tiers")
    'To see how much hangs on that, learn with bootstrap=100; to say what comes first, with tiers'
    >>> in_python("one learned with --missing 'category=state' does")
    "one learned with missing={'category': 'state'} does"
    """
    said = caution and caution.replace("--bootstrap 100", "bootstrap=100").replace("--tiers", "tiers")
    return said and re.sub("--missing '(.*)=state'", lambda found: f"missing={{'{found[1]}': 'state'}}", said)


def _done(action: Mapping[str, str]) -> str:
    return ", ".join(f"{node}={state}" for node, state in action.items()) or "do nothing"


def _places(values: list[float]) -> int:
    """How many places the numbers of a column have, as on the command line.

    >>> _places([0, 5]), _places([-43.6, 5]), _places([0.25])
    (0, 2, 4)
    """
    if all(value == int(value) for value in values):
        return 0
    return 2 if max(map(abs, values)) >= 10 else 4


class Tested(Document):
    """A network held against rows: the independences that it implies, how it stands, how its tables fit, drift; ``hidden`` are pairs that
    neither direction explains, perhaps with a common cause outside the table.

    >>> import clausality as cl
    >>> asia = cl.load("asia")
    >>> found = asia.test(asia.sample(2000))
    >>> found.violated, len(found.independences) == found.tested
    (0, True)
    """

    __test__ = False  # whatever its name says to pytest

    def __repr__(self) -> str:
        def told(pair: dict[str, Any]) -> str:
            given = f", given {', '.join(pair['given'])}" if pair["given"] else ""
            return f"  {pair['parent']} and {pair['child']} depend on each other{given}: q = {pair['q']:.2g}"

        worst = [told(pair) for pair in self.independences if pair["violated"]]
        hidden = [f"  {one} - {other}: perhaps a common cause outside the table" for one, other in (pair["between"] for pair in self.hidden)]
        tested = counted(self.tested, "implied independence")
        found = f"{self.violated} of {tested} {'is' if self.violated == 1 else 'are'} violated"
        return "\n".join([found, *self.document.get("notices", []), *worst[:10], *hidden[:10]])


class Explanation(Document):
    """The most probable states together.

    >>> import clausality as cl
    >>> cl.load("cancer").mpe(given={"Xray": "positive"}, targets=["Cancer"])
    the most probable states given Xray=positive: probability 0.9497
      Cancer  False
    """

    @property
    def states(self) -> dict[str, str]:
        """The state of every node asked for.

        >>> import clausality as cl
        >>> cl.load("cancer").mpe(given={"Xray": "positive"}, targets=["Cancer"]).states
        {'Cancer': 'False'}
        """
        return self.document["most_probable"]

    def __repr__(self) -> str:
        width = max(map(len, self.states), default=0)
        lines = [f"  {node.ljust(width)}  {state}" for node, state in self.states.items()]
        head = _heading(self.document, "the most probable states")
        return "\n".join([f"{head}: probability {self.probability:.4g}", *lines])


def _reported(node: str, weights: dict[str, float]) -> str:
    """Several states, or what a report says of each.

    >>> _reported("age", {"<= 20": 0.0, "20 to 28": 1.0, "> 28": 1.0}), _reported("age", {"<= 20": 0.2, "> 20": 1.0})
    ('age in [20 to 28 | > 28]', 'a report about age (<= 20: 0.2, > 20: 1)')
    """
    if set(weights.values()) <= {0.0, 1.0}:
        return f"{node} in [{' | '.join(state for state, weight in weights.items() if weight)}]"
    return f"a report about {node} ({', '.join(f'{state}: {weight:.4g}' for state, weight in weights.items() if weight)})"


def _heading(document: dict[str, Any], target: str) -> str:
    known = [f"{node}={state}" for node, state in document["evidence"].items()]
    known += [f"do({node}={state})" for node, state in document["do"].items()]
    known += [_reported(node, weights) for node, weights in document["likelihood"].items()]
    return target + (f" given {', '.join(known)}" if known else "")
