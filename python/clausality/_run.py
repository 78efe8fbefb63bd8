"""What was learned: the network and everything behind it."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any

from clausality import _arguments
from clausality import _clausality as core
from clausality._documents import Document, Gaps, counted
from clausality._dynamic import DynamicNetwork
from clausality._files import write_whole
from clausality._filled import Cells, cells_of_table
from clausality._frames import of_records
from clausality._network import Network, structure_of
from clausality._pictures import in_notebook
from clausality._settings import everywhere_json
from clausality._told import in_html, in_lines, together, wrapped

#: The columns of ``edges.csv``.
EDGES = "parent child compelled strength share hit_rate gain confidence direction ruled required way or gaps".split()
#: The same over time.
LAGGED_EDGES = [*EDGES, "lag"]
#: The columns of ``strengths.csv``.
STRENGTHS = "target feature rank strength share hit_rate null accuracy chance signal".split()
#: The columns of the trace.
TRACE = "parent child proposer rank strength gain outcome reason".split()


class Run:
    """What was learned from a table: :attr:`network`, :attr:`arcs`, :attr:`strengths`, :attr:`trace`, and all of ``run.json``.

    Fields of ``run.json`` are attributes: ``run.score``, ``run.warnings``, ``run.params``, ``run.seconds``, ``run.targets``, ``run.truth``.
    In a notebook a run is its picture.

    >>> import clausality as cl
    >>> run = cl.learn(cl.load("asia").sample(1000, seed=1), seed=1, name="asia")
    >>> run
    Run of asia: 1,000 rows, 8 nodes, 7 arcs, 1 warning
    warning: 2 columns have no signal: asia, tub
    >>> run.arcs.columns[:4]
    ['parent', 'child', 'compelled', 'strength']
    """

    def __init__(self, core_run: core.Run, kind: str | None = None, cells: Cells | None = None):
        self._core = core_run
        self._kind = kind
        # What states stand for in the table that it was learned from; files do not tell.
        self._cells = cells

    @cached_property
    def document(self) -> dict[str, Any]:
        """Everything that ``run.json`` holds.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(500, seed=1), seed=1)
        >>> run.document["rows"]
        500
        """
        return json.loads(self._core.run_json())

    @cached_property
    def _clauses(self) -> dict[str, Any]:
        return json.loads(self._core.clauses_json())

    @cached_property
    def network(self) -> Network:
        """The network.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(500, seed=1), seed=1)
        >>> len(run.network.nodes)
        8
        """
        found = self._core.network()
        assert isinstance(found, core.Network)
        return Network(found, self._kind, cells=self._cells)

    @cached_property
    def consensus(self) -> Network | None:
        """The consensus network, if the learning was repeated (``bootstrap=100``).

        >>> import clausality as cl
        >>> rows = cl.load("cancer").sample(200, seed=1)
        >>> cl.learn(rows, bootstrap=3).consensus.nodes == cl.learn(rows).network.nodes
        True
        >>> cl.learn(rows).consensus is None
        True
        """
        found = self._core.consensus()
        return None if found is None else Network(found, self._kind, cells=self._cells)

    @property
    def arcs(self) -> Any:
        """The arcs and what speaks for them: a frame with the columns of ``edges.csv``.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(500, seed=1), seed=1)
        >>> set(zip(run.arcs["parent"], run.arcs["child"])) == set(run.network.arcs)
        True
        """
        return of_records(json.loads(self._core.arcs_json()), self._EDGES, self._kind)

    #: The columns of its arcs.
    _EDGES = EDGES

    @property
    def warnings(self) -> list[str]:
        """What deserves attention, as the command line tells it: a line for each kind of thing. :attr:`notices` has one for every column.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(1000, seed=1), seed=1)
        >>> run.warnings, len(run.notices)
        (['2 columns have no signal: asia, tub'], 2)
        """
        return together(self.notices)

    @property
    def notices(self) -> list[str]:
        """What deserves attention, a sentence for every column that it is about, as ``run.json`` has it.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(1000, seed=1), seed=1)
        >>> run.notices == run.document["warnings"]
        True
        """
        return list(self.document["warnings"])

    @property
    def gaps(self) -> Gaps | None:
        """What the gaps of the table say; None where it has none.

        >>> import clausality as cl
        >>> cl.learn(cl.load("asia").sample(500, seed=1), seed=1).gaps is None
        True
        """
        found = self.document.get("gaps")
        return None if found is None else Gaps(found)

    @property
    def strengths(self) -> Any:
        """How much each column says about each other: a frame with the columns of ``strengths.csv``.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(500, seed=1), seed=1)
        >>> run.strengths.columns[:3]
        ['target', 'feature', 'rank']
        """
        return of_records(strength_rows(self._clauses["targets"]), STRENGTHS, self._kind)

    @property
    def trace(self) -> Any:
        """What became of every arc that was proposed, and why.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(500, seed=1), seed=1)
        >>> run.trace.columns[-2:]
        ['outcome', 'reason']
        """
        return of_records(self.document["trace"], TRACE, self._kind)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.document:
            return self.document[name]
        # What run.json leaves out where there is none.
        if name in ("twins", "predictions", "evaluations"):
            return []
        if name in ("truth", "bootstrap", "probabilities", "time"):
            return None
        if name in ("origins", "files"):
            return {}
        if name == "id":  # of runs of older versions
            return ""
        if name == "forecast":
            raise AttributeError("a run without time forecasts nothing: learn with time=, the column that puts the rows in order")
        raise AttributeError(f"a run has no '{name}'")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.document]

    def explain(self, what: str | int | tuple[Any, Any]) -> Explained:
        """The rules behind a node (``"lung"``) or an arc (``("smoke", "lung")`` or ``"smoke>lung"``), in words.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(1000, seed=1), seed=1)
        >>> run.explain("either").signal
        True
        >>> run.explain(("lung", "either")).present
        True
        """
        if isinstance(what, (tuple, list)):
            arc = ">".join(_arguments.names("the arc", what))
            return Explained(json.loads(self._core.explain_arc(arc)))
        name = _arguments.name("the node or arc", what)
        if name in self.document["nodes"] or not any(sign in name for sign in ">→"):
            return Explained(json.loads(self._core.explain_node(name)))
        return Explained(json.loads(self._core.explain_arc(name)))

    def report(self, path: str | os.PathLike[str] | None = None, *, truth: Any = None) -> Any:
        """One page about the run that needs no network and no program: as HTML text, or written to a file.

        :param truth: the true network or graph, to be compared with on the page.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(1000, seed=1), seed=1)
        >>> run.report(truth=cl.load("asia"))[:15]
        '<!DOCTYPE html>'
        """
        page = self._core.report(None if truth is None else structure_of(truth))
        if path is None:
            return page
        write_whole(path, page.encode())
        return path

    def save(self, folder: str | os.PathLike[str]) -> str | os.PathLike[str]:
        """Writes everything into a folder, as ``clausality learn --run`` does: :func:`read` reads it again.

        >>> import clausality as cl, tempfile
        >>> run = cl.learn(cl.load("asia").sample(500, seed=1), seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cl.read(run.save(folder)) == run
        True
        """
        files = self._core.files()
        _refuse_foreign_files(folder, [name for name, _ in files])
        os.makedirs(folder, exist_ok=True)
        for name, content in files:
            write_whole(os.path.join(folder, name), content)
        if self._core.consensus() is None and os.path.exists(os.path.join(folder, "consensus.json")):
            os.unlink(os.path.join(folder, "consensus.json"))  # of an earlier run
        return folder

    def open(self) -> str:
        """Opens the report in the browser; the file's path comes back.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(500, seed=1), seed=1)
        >>> run.open()  # doctest: +SKIP
        '/tmp/clausality-a1b2c3/report.html'
        """
        import tempfile
        import webbrowser
        from pathlib import Path

        path = os.path.join(tempfile.mkdtemp(prefix="clausality-"), "report.html")
        self.report(path)
        webbrowser.open(Path(path).as_uri())
        return path

    def __repr__(self) -> str:
        return "\n".join([*wrapped(self._heading()), *in_lines(self.warnings)])

    def _heading(self) -> str:
        """What it is, in a line."""
        run, warnings = self.document, self.warnings
        warned = f", {counted(len(warnings), 'warning')}" if warnings else ""
        sizes = f"{counted(run['rows'], 'row')}, {counted(len(run['nodes']), 'node')}, {counted(len(run['arcs']), 'arc')}"
        return f"Run of {run['table']}: {sizes}{warned}"

    def _repr_svg_(self) -> str:
        return self._core.svg()

    def _repr_html_(self) -> str:
        return in_notebook(self._core.svg()) + in_html(self.warnings)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self._core == other._core

    def __hash__(self) -> int:
        return hash(self._core.run_json())

    def __reduce__(self) -> tuple:
        networks = self._core.network().json(), (c := self._core.consensus()) and c.json()
        source = self.network.source
        return _restored, (self._core.run_json(), self._core.clauses_json(), *networks, source, self._kind, self._cells)

    def __copy__(self) -> Run:
        return self

    def __deepcopy__(self, memo: dict) -> Run:
        return self


def _restored(
    run: str, clauses: str, network: bytes, consensus: bytes | None, source: str, kind: str | None, cells: Cells | None = None
) -> Run:
    """A run that was pickled: by its versioned documents, so that other versions read it."""
    over_time = json.loads(network)["format"].startswith("clausality-dynamic/")
    own = (core.DynamicNetwork if over_time else core.Network).from_json(network, source)
    again = None if consensus is None else core.Network.from_json(consensus, source)
    return run_of(core.Run.from_documents(run, clauses, own, again), kind, cells)


class DynamicRun(Run):
    """What was learned from a table over time (``time=``): as :class:`Run`, with a :class:`DynamicNetwork`, and forecasts.

    >>> import clausality as cl
    >>> drawn = weather.sample(200, series=2)  # of the example of DynamicNetwork
    >>> run = cl.learn(drawn, time="step", entity="series", lags=1, seed=1)
    >>> ("Rain@-1", "Rain") in run.network.arcs
    True
    >>> run.time["series"], run.time["lags"]
    (2, 1)
    """

    _EDGES = LAGGED_EDGES

    @cached_property
    def network(self) -> DynamicNetwork:  # type: ignore[override]
        """The network over time.

        >>> import clausality as cl
        >>> cl.learn(weather.sample(100), time="step", lags=1).network.nodes
        ['Rain', 'Wet']
        """
        found = self._core.network()
        assert isinstance(found, core.DynamicNetwork)
        return DynamicNetwork(found, self._kind, self._cells)

    def forecast(self, table: Any, horizon: int, target: Any = None, **how: Any) -> Any:
        """What comes after the last row of every series: a frame of the kind that went in. Arguments as for :meth:`DynamicNetwork.forecast`.

        >>> import clausality as cl
        >>> drawn = weather.sample(100)
        >>> cl.learn(drawn, time="step", lags=1).forecast(drawn, 2)["step"]
        [100, 100, 100, 100, 101, 101, 101, 101]
        """
        return self.network.forecast(table, horizon, target, **how)


def run_of(core_run: core.Run, kind: str | None = None, cells: Cells | None = None) -> Run:
    """A run of the core: over time, if that is how it was learned."""
    over_time = isinstance(core_run.network(), core.DynamicNetwork)
    return (DynamicRun if over_time else Run)(core_run, kind, cells)


def run_of_table(core_run: core.Run, kind: str | None, table: Any) -> Run:
    """A run of the core, with what its states stand for in the table that it was learned from."""
    network = core_run.network()
    schema = json.loads(network.schema_json())
    nodes = schema["nodes"] if isinstance(network, core.Network) else [*schema["statics"], *schema["processes"]]
    return run_of(core_run, kind, cells_of_table(table, network, nodes))


class Explained(Document):
    """Why a node is predicted, or why an arc is or is not there: ``verdict``, ``rules``, ``features``, ``trace``.

    >>> import clausality as cl
    >>> run = cl.learn(cl.load("asia").sample(500, seed=1), seed=1)
    >>> run.explain(("lung", "either")).parent
    'lung'
    """

    @property
    def rules(self) -> list[str]:
        """The rules in words, the most telling first.

        >>> import clausality as cl
        >>> run = cl.learn(cl.load("asia").sample(500, seed=1), seed=1)
        >>> len(run.explain("either").rules) > 0
        True
        """
        return [rule["text"] for rule in self.document["rules"]]

    def __repr__(self) -> str:
        said = self.document
        head = said["node"] if "node" in said else f"{said['parent']} -> {said['child']}"
        return "\n".join([f"{head}: {said['verdict']}", *(f"  {rule}" for rule in self.rules[:10])])


def strength_rows(targets: list[dict]) -> list[dict]:
    """A row for every target and feature."""
    rows = []
    for target in targets:
        accuracy = target["accuracy"] or {}
        told = {"accuracy": accuracy.get("mean"), "chance": accuracy.get("chance"), "signal": accuracy.get("signal", False)}
        for feature in target["features"]:
            rows.append({"target": target["name"], "feature": feature["name"], **feature, **told})
    return rows


def _refuse_foreign_files(folder: str | os.PathLike[str], names: list[str]) -> None:
    """An earlier run may be replaced; files of other origin may not."""

    def there(name: str) -> bool:
        return os.path.lexists(os.path.join(folder, name))

    foreign = None
    if there("run.json"):
        try:
            with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
                ours = str(json.load(file)["format"]).startswith("clausality-run/")
        except (OSError, ValueError, KeyError, TypeError):
            ours = False
        foreign = None if ours else "run.json"
    else:
        foreign = next((name for name in [*names, "consensus.json"] if there(name)), None)
    if foreign is not None:
        raise core.InputError(
            f"{os.fspath(folder)}: this folder holds a {foreign} that no run of clausality wrote: "
            "choose another folder, or move the file away"
        )


def read(path: str | os.PathLike[str], format: str | None = None) -> Network | DynamicNetwork | Run:
    """A network from a file, with or without time, or a run from its folder.

    :param path: ``.bif``, ``.xmlbif``, ``.xml``, ``.net``, ``.json`` (each also with ``.gz``), a run folder, or ``@asia``.
    :param format: read the file in this format, whatever its ending.

    >>> import clausality as cl
    >>> cl.read("@asia") == cl.load("asia")
    True
    """
    place = _arguments.path("path", path)
    if os.path.isdir(place) and os.path.isfile(os.path.join(place, "run.json")):
        return run_of(core.Run.read(place, everywhere_json(None, None)))
    found = core.read_network(place, everywhere_json(None, None), format)
    return DynamicNetwork(found) if isinstance(found, core.DynamicNetwork) else Network(found)
