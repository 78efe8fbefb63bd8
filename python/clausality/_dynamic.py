"""A Bayesian network over time that can be asked."""

from __future__ import annotations

import json
import os
import re
from functools import cached_property
from typing import Any, Iterable, Iterator, Mapping

from clausality import _arguments
from clausality import _clausality as core
from clausality import _exchange
from clausality._files import write_whole
from clausality._documents import counted
from clausality._filled import Cells, drawn_cells
from clausality._frames import KINDS, of_core
from clausality._insight import Insight
from clausality._network import Network
from clausality._pictures import in_notebook
from clausality._progress import Progress
from clausality._questions import Answer, Answers, Explanation, question
from clausality._settings import everywhere_json, reading_json, to_json
from clausality._tables import table as _table
from clausality._time import as_they_came, with_levels
from clausality._warnings import warn


class AtAnyStep(Mapping[str, Any]):
    """The states of variables, or what these stand for, at whatever step they are named: ``Rain``, ``Rain@-1``.

    >>> states = AtAnyStep({"Rain": ["yes", "no"]})
    >>> states["Rain@-1"], "Sun" in states
    (['yes', 'no'], False)
    """

    def __init__(self, states: dict[str, Any]):
        self._own = states

    def __getitem__(self, name: str) -> Any:
        return self._own[name if name in self._own else re.sub(r"@-?\d+$", "", name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)


class DynamicNetwork(Insight):
    """A Bayesian network over time: what has a value at every step, what holds for a whole series, and how far back it looks.

    ``Rain@0`` (or ``Rain``) is now, ``Rain@-1`` one step ago, ``Sales@2`` two steps ahead. Networks do not change; they are equal if they say the same,
    and can be copied and pickled. In a notebook one is its picture. What helps to decide (:meth:`next`, :meth:`why`, …) knows steps too.

    >>> import clausality as cl
    >>> yes = ["yes", "no"]
    >>> first = [{"name": f"{name}@0", "states": yes, "rows": [[0.5, 0.5]]} for name in ("Rain", "Wet")]
    >>> rain = {"name": "Rain", "states": yes, "parents": ["Rain@-1"], "rows": [[0.8, 0.2], [0.4, 0.6]]}
    >>> wet = {"name": "Wet", "states": yes, "parents": ["Rain"], "rows": [[0.9, 0.1], [0.1, 0.9]]}
    >>> weather = cl.DynamicNetwork.from_document({"order": 1, "start": first, "transition": [rain, wet]})
    >>> weather
    DynamicNetwork 'unknown': 2 nodes, 2 arcs, looks 1 step back
    >>> weather.query("Rain@2", given={"Rain": "yes"})
    Rain@2 given Rain@0=yes
      yes  0.7200
      no   0.2800
    """

    def __init__(self, core_network: core.DynamicNetwork, kind: str | None = None, cells: Cells | None = None):
        self._core: core.DynamicNetwork = core_network
        self._kind = kind
        # What the states stand for in the table that it was learned from; files do not tell.
        self._cells = cells

    @classmethod
    def from_document(cls, document: Mapping[str, Any], source: str = "the network") -> DynamicNetwork:
        """A network of the document that :attr:`document` gives: what the ``network.json`` of a run over time holds.

        >>> import clausality as cl
        >>> first = {"name": "Rain@0", "states": ["yes", "no"], "rows": [[0.5, 0.5]]}
        >>> rain = {"name": "Rain", "states": ["yes", "no"], "rows": [[0.5, 0.5]]}
        >>> cl.DynamicNetwork.from_document({"order": 1, "start": [first], "transition": [rain]}).nodes
        ['Rain']
        """
        text = to_json({"format": "clausality-dynamic/1", **document})
        return cls(core.DynamicNetwork.from_json(text.encode(), source))

    @cached_property
    def _schema(self) -> dict[str, Any]:
        return json.loads(self._core.schema_json())

    @cached_property
    def _states(self) -> AtAnyStep:
        return AtAnyStep({v["name"]: v["states"] for v in [*self._schema["statics"], *self._schema["processes"]]})

    @property
    def document(self) -> dict[str, Any]:
        """Everything that ``network.json`` holds: ``order``, ``start``, ``transition``, ``extra``.

        >>> weather.document["order"]
        1
        """
        return json.loads(self._core.json())

    @property
    def name(self) -> str:
        """Its name.

        >>> weather.name
        'unknown'
        """
        return self._schema["name"]

    @property
    def source(self) -> str:
        """Where it comes from: a file, the table it was learned from.

        >>> weather.source
        'the network'
        """
        return self._schema["source"]

    @property
    def nodes(self) -> list[str]:
        """What has a value at every step.

        >>> weather.nodes
        ['Rain', 'Wet']
        """
        return [process["name"] for process in self._schema["processes"]]

    @property
    def statics(self) -> list[str]:
        """What has one value for a whole series.

        >>> weather.statics
        []
        """
        return [static["name"] for static in self._schema["statics"]]

    @property
    def lags(self) -> int:
        """How many steps back it looks.

        >>> weather.lags
        1
        """
        return self._schema["lags"]

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """The arcs into a step, each a pair of parent and child, such as ``("Rain@-1", "Sales")``.

        >>> weather.arcs
        [('Rain@-1', 'Rain'), ('Rain', 'Wet')]
        """
        return [(parent, child) for parent, child in self._schema["arcs"]]

    @property
    def time(self) -> dict[str, Any] | None:
        """What is kept of the series that it was learned from: the columns, the step, holes and so on.

        >>> import clausality as cl
        >>> run = cl.learn(weather.sample(100), time="step", lags=1)
        >>> run.network.time["step"], run.network.time["series"]
        ('1', 1)
        """
        return self._schema["time"]

    def states(self, node: str) -> list[str]:
        """The states of a variable, at whatever step it is named.

        >>> weather.states("Rain@-1")
        ['yes', 'no']
        """
        name = _arguments.name("node", node)
        if name not in self._states:
            raise core.InputError(f"the network has no node '{name}': it has {', '.join(self._states)}")
        return list(self._states[name])

    # Asking

    def query(
        self,
        target: str | Iterable[str],
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        rows: Any = None,
        entity: Any = None,
        likely: Mapping[str, Mapping[str, float]] | None = None,
        joint: bool = False,
        samples: int | None = None,
        seed: int = 1,
        na: Any = None,
        separator: str | None = None,
        name: str | None = None,
        memory_limit: int | str | None = None,
    ) -> Answer | Answers:
        """The probability of every state of a variable at a step, given what is known or done at others.

        :param rows: a table with the rows that are known: now is the last row of a series, and every row counts.
        :param entity: which series is meant, where the table has several.

        The other arguments are those of :meth:`Network.query`. Without rows the series has gone on for a while before the
        earliest step that is named or that the network looks back to.

        >>> round(weather.query("Rain@1", given={"Rain@0": "yes"}, do={"Rain@-1": "no"})["yes"], 4)
        0.8
        >>> import clausality as cl
        >>> drawn = weather.sample(100)
        >>> run = cl.learn(drawn, time="step", lags=1)
        >>> run.network.query("Rain@-1", rows=drawn).most_likely == drawn["Rain"][-2]
        True
        """
        asked = question(self._states, target, given, do, likely, "joint" if joint else "posterior", samples, seed)
        series = self._series(rows, entity, reading_json(na, separator), name)
        document, told = self._core.query(asked, everywhere_json(None, memory_limit), *series)
        warn(told)
        return Answer.of(json.loads(document), AtAnyStep(self._cells or {}))

    def _series(self, rows: Any, entity: Any, reading: str = "{}", name: str | None = None) -> tuple:
        """The rows of a series as the core takes them."""
        if rows is None:
            if entity is not None:
                raise core.InputError("entity says which series of the rows is meant: give them with rows")
            return ()
        known = _table(with_levels(rows, self.time), name)
        return (known.source, known.name), None if entity is None else _arguments.name("entity", entity), reading

    def mpe(
        self,
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        targets: str | Iterable[str] = (),
        rows: Any = None,
        entity: Any = None,
        memory_limit: int | str | None = None,
    ) -> Explanation:
        """The most probable states together: of the targets, or of all variables at the steps from the earliest to the latest that is named.

        :param rows, entity: the rows that are known, as in :meth:`query`; what they say is not told again.

        >>> weather.mpe({"Rain@0": "no"}, targets=["Rain@1", "Wet@1"]).states
        {'Rain@1': 'no', 'Wet@1': 'no'}
        """
        asked = question(self._states, targets, given, do, None, "mpe", None, 1)
        document, told = self._core.query(asked, everywhere_json(None, memory_limit), *self._series(rows, entity))
        warn(told)
        return Explanation(json.loads(document))

    def forecast(
        self,
        table: Any,
        horizon: int,
        target: str | Iterable[str] | None = None,
        *,
        time: str | None = None,
        entity: str | None = None,
        step: str | int | None = None,
        samples: int | None = None,
        seed: int = 1,
        na: Any = None,
        separator: str | None = None,
        name: str | None = None,
        threads: int | None = None,
        memory_limit: int | str | None = None,
        progress: bool | None = None,
    ) -> Any:
        """What comes after the last row of every series: a frame of the kind that went in, with a row for every series, step, node and state.

        Its columns are the entity column (where there is one), the time column, ``ahead``, ``node``, ``state`` and ``probability``; of an estimate
        ``standard_error`` too.

        :param horizon: how many steps ahead.
        :param target: the nodes to forecast; all if none is named.
        :param samples: estimate from so many weighted series: where the exact answer would take too much memory.
        :param time, entity, step: as the network keeps them, if nothing else is said.

        >>> weather.forecast({"day": ["2024-02-28", "2024-02-29"], "Rain": ["no", "yes"], "Wet": ["no", "yes"]}, 1, "Rain", time="day")
        day         ahead  node  state  probability
        2024-03-01  1      Rain  yes    0.8
        2024-03-01  1      Rain  no     0.2
        """
        horizon = _arguments.whole("horizon", horizon, 1, 100_000)
        targets = None if target is None else _arguments.names("target", target)
        drawn = None
        if samples is not None:
            drawn = (_arguments.whole("samples", samples, 1, 10**8), _arguments.whole("seed", seed))
        named = {"time": time, "entity": entity}
        order = {keyword: _arguments.name(keyword, said) for keyword, said in named.items() if said is not None}
        table = with_levels(table, {**(self.time or {}), **order})
        given = _table(table, name)
        reading, everywhere = reading_json(na, separator), everywhere_json(threads, memory_limit)
        in_order = to_json({**order, "step": step})
        with Progress(progress) as tell:
            found, by_wall, told = self._core.forecast(
                given.source, given.name, horizon, targets, drawn, in_order, reading, everywhere, tell
            )
        warn(told)
        own = len(FORECAST) + (drawn is not None)
        return as_they_came(of_core(found, given.kind), table, given.kind, found.names()[:-own], by_wall)

    # Steps and series

    def unroll(self, steps: int, *, memory_limit: int | str | None = None) -> Network:
        """The first steps as an ordinary network, its nodes called ``Rain_t0``, ``Rain_t1`` and so on: every other program reads these.

        >>> weather.unroll(3).arcs
        [('Rain_t0', 'Rain_t1'), ('Rain_t1', 'Wet_t1'), ('Rain_t1', 'Rain_t2'), ('Rain_t2', 'Wet_t2')]
        """
        return Network(self._core.unroll(_arguments.whole("steps", steps, 1), everywhere_json(None, memory_limit)), self._kind)

    def sample(self, steps: int, series: int = 1, seed: int = 1, frame: str | None = None) -> Any:
        """Series drawn from the network, below each other, as a frame; ``series`` numbers them from 1 and ``step`` their steps from 0. Columns
        have their types as those of :meth:`Network.sample` do.

        >>> import clausality as cl
        >>> first = {"name": "Rain@0", "states": ["yes", "no"], "rows": [[0.0, 1.0]]}
        >>> rain = {"name": "Rain", "states": ["yes", "no"], "parents": ["Rain@-1"], "rows": [[0.0, 1.0], [1.0, 0.0]]}
        >>> cl.DynamicNetwork.from_document({"order": 1, "start": [first], "transition": [rain]}).sample(3)
        series  step  Rain
        1       0     no
        1       1     yes
        1       2     no
        """
        steps, series = _arguments.whole("steps", steps, 1, 10**9), _arguments.whole("series", series, 1, 10**9)
        if frame is not None and frame not in KINDS:
            raise _arguments.refused("frame", frame, "one of " + ", ".join(map(repr, KINDS)))
        drawn = self._core.sample(steps, series, _arguments.whole("seed", seed))
        found = drawn_cells(self._core, self._states, self._cells)
        cells = {node: own for node, own in found.items() if node in drawn.names()}
        return of_core(drawn, frame or self._kind, cells=cells)

    # Files and other libraries

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Writes the network: ``.json`` keeps it whole, ``.svg``, ``.dot`` and ``.csv`` a step with those it looks back to; for anything else :meth:`unroll` it.

        >>> import clausality as cl, tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     weather.write(pathlib.Path(folder, "weather.json"))
        ...     cl.read(pathlib.Path(folder, "weather.json")) == weather
        True
        """
        write_whole(path, self._core.bytes(_arguments.path("path", path), format))

    def to_bytes(self, format: str = "json") -> bytes:
        """The bytes of a file in a format.

        >>> weather.to_bytes("dot")[:7]
        b'digraph'
        """
        return self._core.bytes(f"network.{format}", format)

    def to_pyagrum(self) -> Any:
        """A ``KTBN`` of pyAgrum (3.3 and later), of one more slice than it looks back.

        >>> model = weather.to_pyagrum()  # doctest: +SKIP
        """
        return _exchange.to_ktbn(self)

    def to_tigramite(self) -> dict[str, Any]:
        """What tigramite's plots take: ``graph`` (an array ``[node, node, lag]`` with ``"-->"``), ``val_matrix`` (None) and ``var_names``.

        What holds for a whole series is left out: tigramite knows series alone. ``tigramite.plotting.plot_graph(**network.to_tigramite())`` draws it.

        >>> weather.to_tigramite()["graph"].tolist()
        [[['', '-->'], ['-->', '']], [['<--', ''], ['', '']]]
        """
        return _exchange.to_tigramite(self)

    # Manners

    def __repr__(self) -> str:
        parts = [counted(len(self.nodes), "node"), counted(len(self.arcs), "arc"), f"looks {counted(self.lags, 'step')} back"]
        if self.statics:
            parts.insert(1, counted(len(self.statics), "static"))
        return f"DynamicNetwork '{self.name}': {', '.join(parts)}"

    def _repr_svg_(self) -> str:
        return self._core.svg()

    def _repr_html_(self) -> str:
        return in_notebook(self._core.svg())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DynamicNetwork) and self._core == other._core

    def __hash__(self) -> int:
        return hash(self._core.json())

    def __reduce__(self) -> tuple:
        return _restored, (self._core.json(), self.source, self._kind, self._cells)

    def __copy__(self) -> DynamicNetwork:
        return self

    def __deepcopy__(self, memo: dict) -> DynamicNetwork:
        return self


#: The columns of a forecast that follow those of the table.
FORECAST = "ahead node state probability".split()


def _restored(document: bytes, source: str, kind: str | None, cells: Cells | None = None) -> DynamicNetwork:
    """A network that was pickled: by its versioned document, so that other versions read it."""
    return DynamicNetwork(core.DynamicNetwork.from_json(document, source), kind, cells)
