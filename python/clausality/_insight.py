"""What helps to decide: what to ask next, what findings did, what could move an answer, what to do."""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Mapping

from clausality import _arguments
from clausality._clausality import InputError
from clausality._frames import of_records
from clausality._questions import WORTHS, Decision, Why, node_name, question, worths
from clausality._settings import everywhere_json, to_json
from clausality._warnings import warn


class Insight:
    """The questions of somebody who has to decide, to a network with or without time."""

    #: What answers, the states of its nodes, and the library that frames come out in.
    _core: Any
    _states: Any
    _kind: str | None

    def _insight(
        self,
        asks: dict[str, Any],
        target: str | Iterable[str],
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None,
        do: Mapping[str, Any] | None,
        rows: Any,
        entity: Any,
        memory_limit: int | str | None,
    ) -> dict[str, Any]:
        asked = question(self._states, target, self._observed(given), do, None, "posterior", None, 1)
        series = self._series(rows, entity)
        document, told = self._core.insight(asked, to_json(asks), everywhere_json(None, memory_limit), *series)
        warn(told)
        return json.loads(document)

    def _observed(self, given: Any) -> Any:
        """What was observed, by node."""
        return given

    def _series(self, rows: Any, entity: Any) -> tuple:
        """The rows of a series as the core takes them; a network without time has none."""
        if rows is not None or entity is not None:
            raise InputError("rows are those of a series: this is a network without time")
        return ()

    def next(
        self,
        target: str,
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        rows: Any = None,
        entity: Any = None,
        cost: Mapping[str, float] | None = None,
        memory_limit: int | str | None = None,
    ) -> Any:
        """What to ask next: a frame of what seeing each other node would tell of the target, in bits, the most worthwhile first.

        :param cost: what it costs to see nodes; others cost 1.
        :param rows, entity: of a network over time: the rows of a series that are known, as in :meth:`DynamicNetwork.query`.

        >>> import clausality as cl
        >>> found = cl.load("asia").next("lung", {"smoke": "yes"}, cost={"either": 10})
        >>> found["node"][:2], found["cost"][:2]
        (['xray', 'either'], [1.0, 10.0])
        """
        costs = [
            (node_name(self._states, "cost", node), _arguments.number(f"cost of '{node}'", x))
            for node, x in _arguments.pairs("cost", cost, "a dict such as {'node': 2.5}")
        ]
        found = self._insight({"next": True, "costs": costs}, target, given, do, rows, entity, memory_limit)
        return of_records(found["next"], ["node", "information", "share", "cost", "per_cost"], self._kind)

    def why(
        self,
        target: str,
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        rows: Any = None,
        entity: Any = None,
        memory_limit: int | str | None = None,
    ) -> Why:
        """What each finding did to the target, whatever their order; of 12 findings at most.

        :param rows, entity: of a network over time: the rows of a series that are known, which hold throughout.

        >>> import clausality as cl
        >>> list(cl.load("asia").why("lung", {"smoke": "yes", "xray": "yes"}).pushes)
        ['xray', 'smoke']
        """
        return Why(self._insight({"why": True}, target, given, do, rows, entity, memory_limit))

    def tornado(
        self,
        target: str,
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        rows: Any = None,
        entity: Any = None,
        memory_limit: int | str | None = None,
    ) -> Any:
        """How the target would move with each state of every other node that moves it: a frame, the largest swing first.

        :param rows, entity: of a network over time: the rows of a series that are known.

        >>> import clausality as cl
        >>> found = cl.load("asia").tornado("lung")
        >>> found["node"][0], found["state"][0], found["high_given"][0]
        ('either', 'yes', 'yes')
        """
        rows = self._insight({"tornado": True}, target, given, do, rows, entity, memory_limit)["tornado"]
        for row in rows:
            for end in ("low", "high"):
                row[f"{end}_given"], row[end] = row[end]["given"], row[end]["probability"]
        return of_records(rows, ["node", "state", "low", "low_given", "high", "high_given", "swing"], self._kind)

    def sensitivity(
        self,
        target: str,
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        rows: Any = None,
        entity: Any = None,
        memory_limit: int | str | None = None,
    ) -> Any:
        """What an error in each number of the tables would do: a frame, the steepest first.

        The columns are the node, its state, the states of its parents as text, the number, the slope for every state of the target, and where the
        answer would turn (``flip`` to which ``flip_state``), None where no change of this number alone turns it. A number that a network over time holds
        for all steps is told as that of now and changed at all of them; where the answer turns is looked for in the 40 steepest of these.

        :param rows, entity: of a network over time: the rows of a series that are known.

        >>> import clausality as cl
        >>> found = cl.load("asia").sensitivity("bronc", {"dysp": "yes"})
        >>> found.columns
        ['node', 'state', 'given', 'value', 'slope yes', 'slope no', 'flip', 'flip_state']
        """
        rows = self._insight({"sensitivity": True}, target, given, do, rows, entity, memory_limit)["sensitivity"]
        states = self._states[node_name(self._states, "target", target)]
        for row in rows:
            row["given"] = ", ".join(f"{node}={state}" for node, state in row["given"].items())
            row.update({f"slope {state}": row["slope"][state] for state in states})
            turn = row.pop("flip") or {}
            row["flip"], row["flip_state"] = turn.get("value"), turn.get("state")
        names = ["node", "state", "given", "value", *(f"slope {state}" for state in states), "flip", "flip_state"]
        return of_records(rows, names, self._kind)

    def decide(
        self,
        utility: Mapping[str, Any] | str | os.PathLike[str],
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        rows: Any = None,
        entity: Any = None,
        memory_limit: int | str | None = None,
    ) -> Decision:
        """What every action is worth, given what is known, and which is the best.

        :param utility: what states are worth and what actions cost: ``{"utility": [{"when": {…}, "value": …}], "action": [{"do": {…}, "cost": …}]}``, or a
            file of it (``.csv``, ``.json``, ``.toml``).
        :param rows, entity: of a network over time: the rows of a series that are known; only steps ahead can be decided.

        >>> import clausality as cl
        >>> worth = {"utility": [{"when": {"dysp": "yes"}, "value": -100}], "action": [{"do": {"smoke": "no"}, "cost": 5}]}
        >>> cl.load("asia").decide(worth, {"asia": "yes"}).best
        {'smoke': 'no'}
        """
        if isinstance(utility, Mapping):
            asks: dict[str, Any] = {"utility": worths(self._states, utility)}
        elif isinstance(utility, (str, os.PathLike)):
            asks = {"utility_file": _arguments.path("utility", utility)}
        else:
            raise _arguments.refused("utility", utility, WORTHS)
        return Decision(self._insight(asks, (), given, do, rows, entity, memory_limit))
