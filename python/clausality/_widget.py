"""The explorer in a notebook: click states, watch every bar move, and see in Python what is selected and known."""

from __future__ import annotations

from typing import Any, Mapping

from clausality import _arguments
from clausality import _clausality as core
from clausality._dynamic import DynamicNetwork
from clausality._network import Network
from clausality._questions import _text as state_text
from clausality._run import Run
from clausality._settings import everywhere_json
from clausality._tables import table
from clausality._warnings import warn

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError("the explorer needs the package anywidget: pip install 'clausality[widget]'") from error


class Explorer(anywidget.AnyWidget):
    """A network to click on, in Jupyter, VS Code, Colab and marimo: the page of ``clausality explore``, answered by the kernel without a port.

    What somebody does there can be read and observed here, and what is set here moves the page: :attr:`selected`, :attr:`evidence` and
    :attr:`do`. They are traits: ``explorer.observe(action, "evidence")`` calls ``action`` after every click.

    :param explored: a run (with its rules and strengths) or a network, also over time.
    :param rows: a table to pick rows from as evidence: whatever :func:`learn` takes.
    :param steps: of a network over time, how many steps ahead of now are shown.
    :param height: in pixels.
    :param memory_limit: what exact answers may take (``"1G"``); beyond it they are estimated from samples.

    >>> import clausality as cl
    >>> explorer = cl.Explorer(cl.load("asia"), evidence={"smoke": "yes"})
    >>> explorer
    Explorer of Network 'asia': 8 nodes, 8 arcs, 18 parameters
    >>> explorer.selected = "lung"
    >>> explorer.evidence
    {'smoke': 'yes'}
    """

    _esm = core.Explorer.module()

    #: The name of the node that is selected, or nothing.
    selected = traitlets.Unicode("").tag(sync=True)
    #: What was seen, as :meth:`Network.query` takes it by ``given``: node → state, several states in a list, or of a report a dict with a number for every state.
    #: Values are read as the table's were: ``{"Age": 51}``.
    evidence = traitlets.Dict().tag(sync=True)
    #: What is set from outside: node → state.
    do = traitlets.Dict().tag(sync=True)
    #: The height of the explorer in pixels.
    height = traitlets.Int(600, min=200, max=4000).tag(sync=True)

    def __init__(
        self,
        explored: Run | Network | DynamicNetwork,
        rows: Any = None,
        *,
        steps: int = 6,
        height: int = 600,
        selected: str = "",
        evidence: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
        memory_limit: int | str | None = None,
    ):
        run = explored if isinstance(explored, Run) else None
        network = explored.network if isinstance(explored, Run) else explored
        over_time = isinstance(network, DynamicNetwork)
        if over_time:
            if rows is not None:
                raise core.InputError("a row holds one step of a network over time: leave rows out, and ask with a series by network.query(..., rows=...)")
            around = network._core.around(_arguments.whole("steps", steps, 1, 200), everywhere_json(None, memory_limit))
            network = Network(around, network._kind)
        if not isinstance(network, Network):
            raise core.InputError(f"an explorer shows a run or a network, and no {type(explored).__name__}")
        self._shown = network
        given = None if rows is None else table(rows)
        self._explored = explored
        self._desk, told = core.Explorer.of(
            network._core,
            run and run._core,
            "run.network" if run else "network",
            given and (given.source, given.name),
            everywhere_json(None, memory_limit),
            over_time,
        )
        warn(told)
        for node in (evidence or {}).keys() & (do or {}).keys():
            raise core.InputError(f"node '{node}' is in evidence and in do: it was seen, or it is set")
        super().__init__(height=height, selected=selected, evidence=dict(evidence or {}), do=dict(do or {}))
        self.on_msg(self._answer)

    def _answer(self, _: Any, request: Any, buffers: Any) -> None:
        """Answers a request of the page. Every one has an id, by which the page knows its answer."""
        if not isinstance(request, dict) or "id" not in request:
            return
        method, path, kind, body = (str(request.get(key) or "") for key in ("method", "path", "type", "body"))
        status, text = self._desk.answer(method, path, kind, body)
        self.send({"id": request["id"], "status": status, "text": text})

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> str:
        name = proposal["value"]
        if name:
            self._shown._core.cpt(name)  # says what was meant
        return name

    @traitlets.validate("evidence")
    def _check_evidence(self, proposal: Any) -> dict[str, Any]:
        return {node: self._seen(node, value) for node, value in proposal["value"].items()}

    def _seen(self, node: str, value: Any) -> str | list[str] | dict[str, float]:
        """What was seen of a node, its states in the order of the network: the page says the same in the same way."""
        if isinstance(value, Mapping):
            numbers = [(state_text(node, state), _arguments.number(f"evidence of '{node}'", p)) for state, p in value.items()]
            return dict(self._desk.report(node, numbers))
        several = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
        meant = {state for _, state in self._desk.states([(node, state_text(node, one)) for one in several])}
        if not meant:
            raise core.InputError(f"evidence of '{node}': an empty list names no state")
        found = [state for state in self._shown.states(node) if state in meant]
        return found if len(found) > 1 else found[0]

    @traitlets.validate("do")
    def _check_do(self, proposal: Any) -> dict[str, str]:
        return dict(self._desk.states([(node, state_text(node, value)) for node, value in proposal["value"].items()]))

    @traitlets.observe("evidence", "do")
    def _keep_apart(self, change: Any) -> None:
        """What was seen is not done, and the other way round: what is said last holds."""
        other = "do" if change["name"] == "evidence" else "evidence"
        before = getattr(self, other)
        if before.keys() & change["new"].keys():
            setattr(self, other, {node: state for node, state in before.items() if node not in change["new"]})

    def __repr__(self) -> str:
        explored = self._explored
        return f"Explorer of {explored._heading() if isinstance(explored, Run) else repr(explored)}"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Where no widget can be shown (a page on the web, a printed notebook) its picture stands for it."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is not None:
            bundle[0]["image/svg+xml"] = self._explored._repr_svg_()
        return bundle
