"""A Bayesian network that can be asked."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any, Iterable, Mapping

from clausality import _arguments
from clausality import _clausality as core
from clausality import _exchange
from clausality._files import write_whole
from clausality._documents import counted
from clausality._filled import Cells, drawn_cells
from clausality._frames import to_kind
from clausality._insight import Insight
from clausality._pictures import in_notebook
from clausality._questions import BY_NODE, Answer, Answers, Explanation, is_gap, nearly_nodes, node_name, question
from clausality._rows import OfRows
from clausality._settings import everywhere_json, reading_json, to_json
from clausality._tables import table as _table
from clausality._warnings import warn


class Network(Insight, OfRows):
    """A Bayesian network: nodes with states, arcs, probabilities, and how the columns of its table become states.

    Networks do not change. They are equal if they say the same, and can be copied and pickled. In a notebook one is its picture.

    >>> import clausality as cl
    >>> asia = cl.load("asia")
    >>> asia
    Network 'asia': 8 nodes, 8 arcs, 18 parameters
    >>> asia.nodes
    ['asia', 'tub', 'smoke', 'lung', 'bronc', 'either', 'xray', 'dysp']
    """

    def __init__(self, core_network: core.Network, kind: str | None = None, targets: Iterable[str] = (), cells: Cells | None = None):
        self._core = core_network
        self._kind = kind
        # What the states stand for in the table that it was learned from; files do not tell.
        self._cells = cells
        # What it was learned for, where it has no machines any more that say so.
        self._targets = list(targets)

    @classmethod
    def from_document(cls, document: Mapping[str, Any], source: str = "the network") -> Network:
        """A network of the document that :attr:`document` gives: what ``network.json`` holds.

        >>> import clausality as cl
        >>> rain = {"name": "rain", "states": ["yes", "no"], "rows": [[0.2, 0.8]]}
        >>> wet = {"name": "wet", "states": ["yes", "no"], "parents": ["rain"], "rows": [[0.9, 0.1], [0, 1]]}
        >>> cl.Network.from_document({"nodes": [rain, wet]}).query("rain", given={"wet": "yes"})["yes"]
        1.0
        """
        text = to_json({"format": "clausality-network/1", **document})
        return cls(core.Network.from_json(text.encode(), source))

    @cached_property
    def _schema(self) -> dict[str, Any]:
        return json.loads(self._core.schema_json())

    @cached_property
    def _nodes(self) -> dict[str, dict[str, Any]]:
        return {node["name"]: node for node in self._schema["nodes"]}

    @property
    def document(self) -> dict[str, Any]:
        """Everything that ``network.json`` holds.

        >>> import clausality as cl
        >>> cl.load("asia").document["nodes"][0]
        {'name': 'asia', 'states': ['yes', 'no'], 'parents': [], 'rows': [[0.01, 0.99]]}
        """
        return json.loads(self._core.json())

    @property
    def name(self) -> str:
        """Its name.

        >>> import clausality as cl
        >>> cl.load("asia").name
        'asia'
        """
        return self._schema["name"]

    @property
    def source(self) -> str:
        """Where it comes from: a file, an embedded network, the table it was learned from.

        >>> import clausality as cl
        >>> cl.load("asia").source
        '@asia'
        """
        return self._schema["source"]

    @property
    def nodes(self) -> list[str]:
        """The names of its nodes.

        >>> import clausality as cl
        >>> cl.load("cancer").nodes
        ['Pollution', 'Smoker', 'Cancer', 'Xray', 'Dyspnoea']
        """
        return list(self._nodes)

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """Its arcs, each a pair of parent and child.

        >>> import clausality as cl
        >>> cl.load("cancer").arcs
        [('Pollution', 'Cancer'), ('Smoker', 'Cancer'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea')]
        """
        return [(parent, node["name"]) for node in self._schema["nodes"] for parent in node["parents"]]

    @property
    def parameters(self) -> int:
        """How many of its probabilities are free.

        >>> import clausality as cl
        >>> cl.load("asia").parameters
        18
        """
        return self._schema["parameters"]

    def states(self, node: str) -> list[str]:
        """The states of a node.

        >>> import clausality as cl
        >>> cl.load("cancer").states("Pollution")
        ['low', 'high']
        """
        return list(self._node(node)["states"])

    def parents(self, node: str) -> list[str]:
        """The parents of a node, in the order of its probability table.

        >>> import clausality as cl
        >>> cl.load("asia").parents("either")
        ['lung', 'tub']
        """
        return list(self._node(node)["parents"])

    def children(self, node: str) -> list[str]:
        """The children of a node.

        >>> import clausality as cl
        >>> cl.load("asia").children("smoke")
        ['lung', 'bronc']
        """
        own = self._node(node)["name"]
        return [child for parent, child in self.arcs if parent == own]

    def ancestors(self, node: str) -> list[str]:
        """The nodes from which arrows lead to one: its parents, theirs, and so on.

        >>> import clausality as cl
        >>> cl.load("asia").ancestors("xray")
        ['asia', 'tub', 'smoke', 'lung', 'either']
        """
        return self._core.ancestors(self._node(node)["name"])

    def descendants(self, node: str) -> list[str]:
        """The nodes to which arrows lead from one: its children, theirs, and so on.

        >>> import clausality as cl
        >>> cl.load("asia").descendants("lung")
        ['either', 'xray', 'dysp']
        """
        return self._core.descendants(self._node(node)["name"])

    def markov_blanket(self, node: str) -> list[str]:
        """The parents, the children and the children's other parents of a node: where these are known, no other says anything of it.

        >>> import clausality as cl
        >>> cl.load("asia").markov_blanket("either")
        ['tub', 'lung', 'bronc', 'xray', 'dysp']
        """
        return self._core.markov_blanket(self._node(node)["name"])

    def topological_order(self) -> list[str]:
        """All nodes, parents before their children.

        >>> import clausality as cl
        >>> cl.load("asia").topological_order()[-3:]
        ['either', 'xray', 'dysp']
        """
        return self._core.topological_order()

    def independent(self, nodes: str | Iterable[str], others: str | Iterable[str], given: str | Iterable[str] = ()) -> bool:
        """Whether the graph says that nodes are independent of others, where still others are known (d-separation).

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> asia.independent("lung", "bronc"), asia.independent("lung", "bronc", given="smoke")
        (False, True)
        >>> asia.independent("lung", "bronc", given=["smoke", "dysp"])  # what both may cause joins them
        False
        """
        asked = {"nodes": nodes, "others": others, "given": given}
        named = ([node_name(self._nodes, word, name) for name in _arguments.several(word, said)] for word, said in asked.items())
        return self._core.independent(*named)

    def _node(self, name: str) -> dict[str, Any]:
        name = node_name(self._nodes, "node", name)
        if name not in self._nodes:
            self._core.cpt(name)  # says what was meant
        return self._nodes[name]

    @cached_property
    def _states(self) -> dict[str, list[str]]:
        return {name: node["states"] for name, node in self._nodes.items()}

    @cached_property
    def _drawn(self) -> Cells:
        return drawn_cells(self._core, self._states, self._cells)

    def cpt(self, node: str) -> Any:
        """The probability table of a node: a frame with a row for each configuration of its parents.

        >>> import clausality as cl
        >>> cl.load("asia").cpt("dysp")
        bronc  either  P(yes)  P(no)
        yes    yes     0.9     0.1
        yes    no      0.8     0.2
        no     yes     0.7     0.3
        no     no      0.1     0.9
        """
        node = self._node(node)["name"]
        rows, parents = self._core.cpt(node), self.parents(node)
        columns: dict[str, list] = {}
        times = len(rows)
        for parent in parents:
            states = self.states(parent)
            times //= len(states)
            columns[parent] = [states[row // times % len(states)] for row in range(len(rows))]
        for k, state in enumerate(self.states(node)):
            columns[f"P({state})"] = [row[k] for row in rows]
        return to_kind(columns, self._kind)

    # Asking

    @cached_property
    def _parts(self) -> dict[str, list[str]]:
        """The columns that are no nodes themselves, and the nodes that they became: the parts of a date."""
        found: dict[str, list[str]] = {}
        coding = self._core.coding_json()
        for each in json.loads(coding)["variables"] if coding else []:
            if each["column"] not in self._nodes:
                found.setdefault(each["column"], []).append(each["variable"]["name"])
        return found

    def _observed(self, given: Any) -> Any:
        """What was observed, by node: of a date what its parts are, as in a table."""
        is_row = hasattr(given, "to_dict") and not isinstance(given, Mapping)
        if given is None or not self._parts:
            return given
        pairs = list(given.to_dict().items()) if is_row else _arguments.pairs("given", given, BY_NODE)
        said = [(node_name(self._nodes, "given", name), value) for name, value in pairs]
        named = dict(said)
        observed = []  # of a node several things may be said
        for column, value in said:
            if column in self._nodes or column not in self._parts and not is_row:  # what is neither a node nor a column is refused
                observed.append((column, value))
            elif column in self._parts and not is_gap(value):
                parts, told = self._of_column(column, value)
                if not parts and not is_row:
                    expected = f"a cell as that column has them, or its parts {', '.join(map(repr, self._parts[column]))}"
                    raise _arguments.refused(f"given: '{column}'", value, expected)
                warn(told)
                observed += [(node, state) for node, state in parts.items() if node not in named]  # what is said of a part comes first
        if is_row:
            warn(nearly_nodes(self._nodes, {name: value for name, value in said if name not in self._parts}))
        return observed

    def _of_column(self, column: str, value: Any) -> tuple[dict[str, str], list[str]]:
        """The nodes that a column became with their states for a cell of it, and what deserves attention."""
        if isinstance(value, (list, tuple, set, frozenset, Mapping)):
            raise _arguments.refused(f"given: '{column}'", value, f"one cell, or its parts {', '.join(map(repr, self._parts[column]))}")
        coded, told = core.code_rows(
            self._core, *_one_cell(column, value), reading_json(None, None), everywhere_json(None, None)
        )
        found = {}
        for place, node in enumerate(coded.names()):
            _, codes, labels, _ = coded.column(place)
            code = memoryview(codes).cast("i")[0]
            if node in self._parts[column] and code >= 0:
                found[node] = labels[code]
        return found, told

    def query(
        self,
        target: str | Iterable[str],
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        likely: Mapping[str, Mapping[str, float]] | None = None,
        joint: bool = False,
        samples: int | None = None,
        seed: int = 1,
        memory_limit: int | str | None = None,
    ) -> Answer | Answers:
        """The probability of every state of a node, given what is known or done; of several nodes if several are asked for.

        :param given: what was observed, by node: a state, a value (``51``), a range (``">=50"``), or several in a list.
        :param do: nodes that are set from outside: the arcs into them are cut.
        :param likely: reports about nodes: how likely each would be in which state (``"*"`` for all others).
        :param joint: of several targets also the probabilities of all combinations.
        :param samples: estimate from so many weighted samples instead of answering exactly.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> asia.query("lung", given={"smoke": "yes", "xray": "yes"})
        lung given smoke=yes, xray=yes
          yes  0.6460
          no   0.3540
        >>> asia.query("lung", do={"smoke": "no"})["yes"]
        0.01
        >>> asia.query("lung", likely={"xray": {"yes": 0.8, "no": 0.1}}).evidence_probability < 1
        True
        """
        asked = question(self._states, target, self._observed(given), do, likely, "joint" if joint else "posterior", samples, seed)
        document, told = self._core.query(asked, everywhere_json(None, memory_limit))
        warn(told)
        return Answer.of(json.loads(document), self._cells)

    def mpe(
        self,
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        targets: str | Iterable[str] = (),
        memory_limit: int | str | None = None,
    ) -> Explanation:
        """The most probable states together: of the targets, or of all nodes.

        >>> import clausality as cl
        >>> cl.load("asia").mpe(given={"dysp": "yes"}).states["bronc"]
        'yes'
        """
        asked = question(self._states, targets, self._observed(given), do, None, "mpe", None, 1)
        document, told = self._core.query(asked, everywhere_json(None, memory_limit))
        warn(told)
        return Explanation(json.loads(document))

    def do(self, nodes: Mapping[str, Any] | None = None, /, **more: Any) -> Network:
        """The network in which nodes are set from outside: the arcs into them are cut.

        >>> import clausality as cl
        >>> cl.load("asia").do(smoke="yes").query("lung")["yes"]
        0.1
        """
        document = self.document
        for node, value in [*_arguments.pairs("do", nodes, BY_NODE), *more.items()]:
            node = self._node(node)["name"]
            answer = self.query(node, do={node: value})
            entry = next(entry for entry in document["nodes"] if entry["name"] == node)
            entry["parents"], entry["rows"] = [], [list(answer.document["posterior"].values())]
            document.get("extra", {}).pop("predictors", None)  # machines were trained on rows of another world
        changed = core.Network.from_json(to_json(document).encode(), self.source)
        return Network(changed, self._kind, self._core.predicted() or self._targets, self._cells)

    # Files and other libraries

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Writes the network, its format by the file's ending: ``.bif``, ``.xmlbif``, ``.net``, ``.json``, ``.dot``, ``.csv``, ``.graphml``, ``.svg``.

        >>> import clausality as cl, tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cl.load("asia").write(pathlib.Path(folder, "asia.bif"))
        ...     cl.read(pathlib.Path(folder, "asia.bif")).arcs == cl.load("asia").arcs
        True
        """
        write_whole(path, self._core.bytes(_arguments.path("path", path), format))

    def to_bytes(self, format: str = "json") -> bytes:
        """The bytes of a file in a format.

        >>> import clausality as cl
        >>> cl.load("asia").to_bytes("dot")[:14]
        b'digraph asia {'
        """
        return self._core.bytes(f"network.{format}", format)

    def to_networkx(self) -> Any:
        """A ``networkx.DiGraph``; its nodes keep ``states``, ``parents`` and ``cpt``.

        >>> import clausality as cl
        >>> cl.load("asia").to_networkx().number_of_edges()
        8
        """
        return _exchange.to_networkx(self)

    @classmethod
    def from_networkx(cls, graph: Any) -> Network:
        """The network of a graph whose nodes have ``states``, ``parents`` and ``cpt``; a graph alone is for :func:`fit`.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> cl.Network.from_networkx(asia.to_networkx()) == asia
        True
        """
        return cls.from_document(_exchange.from_networkx(graph))

    def to_igraph(self) -> Any:
        """An ``igraph.Graph``; its vertices have ``name``, ``states``, ``parents`` and ``cpt``.

        >>> import clausality as cl
        >>> cl.load("asia").to_igraph().ecount()
        8
        """
        return _exchange.to_igraph(self)

    @classmethod
    def from_igraph(cls, graph: Any) -> Network:
        """The network of what :meth:`to_igraph` gave.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> cl.Network.from_igraph(asia.to_igraph()) == asia
        True
        """
        return cls.from_document(_exchange.from_igraph(graph))

    def to_pgmpy(self) -> Any:
        """A ``DiscreteBayesianNetwork`` of pgmpy.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> model = asia.to_pgmpy()  # doctest: +SKIP
        """
        return _exchange.to_pgmpy(self)

    @classmethod
    def from_pgmpy(cls, model: Any) -> Network:
        """The network of pgmpy.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> cl.Network.from_pgmpy(asia.to_pgmpy()).arcs == asia.arcs  # doctest: +SKIP
        True
        """
        return cls.from_document(_exchange.from_pgmpy(model))

    def to_pyagrum(self) -> Any:
        """A ``BayesNet`` of pyAgrum.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> model = asia.to_pyagrum()  # doctest: +SKIP
        """
        return _exchange.to_pyagrum(self)

    @classmethod
    def from_pyagrum(cls, model: Any) -> Network:
        """The network of pyAgrum.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> cl.Network.from_pyagrum(asia.to_pyagrum()).arcs == asia.arcs  # doctest: +SKIP
        True
        """
        return cls.from_document(_exchange.from_pyagrum(model))

    # Manners

    def __repr__(self) -> str:
        return f"Network '{self.name}': {counted(len(self.nodes), 'node')}, {counted(len(self.arcs), 'arc')}, {counted(self.parameters, 'parameter')}"

    def _repr_svg_(self) -> str:
        return self._core.svg()

    def _repr_html_(self) -> str:
        return in_notebook(self._core.svg())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and self._core == other._core

    def __hash__(self) -> int:
        return hash(self._core.json())

    def __reduce__(self) -> tuple:
        return _restored, (self._core.json(), self.source, self._kind, self._targets, self._cells)

    def __copy__(self) -> Network:
        return self

    def __deepcopy__(self, memo: dict) -> Network:
        return self


def _restored(document: bytes, source: str, kind: str | None, targets: Iterable[str] = (), cells: Cells | None = None) -> Network:
    """A network that was pickled: by its versioned document, so that other versions read it."""
    return Network(core.Network.from_json(document, source), kind, targets, cells)


def _one_cell(column: str, value: Any) -> tuple[Any, str]:
    """A table of one cell, as the core takes it, and its name."""
    made = _table({column: [value]}, "given")
    return made.source, made.name


def structure_of(given: Any) -> Any:
    """A structure as the core takes it: a network, a path, or names and arcs."""
    given = getattr(given, "network", given)
    if isinstance(getattr(given, "_core", None), (core.Network, core.DynamicNetwork)):
        return given._core
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(given)
    graph = _exchange.graph(given)
    if graph is not None:
        return graph
    expected = "a network, a path, a graph, or a list of arcs such as ('PARENT', 'CHILD')"
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise _arguments.refused("the structure", given, expected)
    arcs = []
    for arc in given:
        ends = arc.replace("->", ">").replace("→", ">").split(">", 1) if isinstance(arc, str) else arc
        if not isinstance(ends, (list, tuple)) or len(ends) != 2:
            raise _arguments.refused("the structure", given, expected)
        arcs.append(tuple(_arguments.name("the structure", end) for end in ends))
    return list(dict.fromkeys(end for arc in arcs for end in arc)), arcs


def load(name: str) -> Network:
    """An embedded network, such as ``"asia"`` or ``"insurance"``: :func:`networks` lists them.

    >>> import clausality as cl
    >>> len(cl.load("insurance").nodes)
    27
    """
    return Network(core.Network.read("@" + _arguments.text("name", name).removeprefix("@"), everywhere_json(None, None)))


def networks() -> list[dict[str, Any]]:
    """The embedded networks: name, nodes, arcs, parameters, what they are about.

    >>> import clausality as cl
    >>> [network["name"] for network in cl.networks()][:3]
    ['cancer', 'earthquake', 'survey']
    """
    return json.loads(core.networks())
