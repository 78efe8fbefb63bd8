"""A Bayesian network that can be asked."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any, Iterable, Mapping

from clausality import _arguments
from clausality import _clausality as core
from clausality import _exchange
from clausality._documents import Score
from clausality._files import write_whole
from clausality._filled import coded_kinds, filled
from clausality._frames import KINDS, of_core, of_records, to_kind
from clausality._pictures import in_notebook
from clausality._questions import BY_NODE, Answer, Answers, Decision, Explanation, Tested, Why, node_name, question
from clausality._rows import Prediction
from clausality._settings import everywhere_json, reading_json, to_json
from clausality._tables import table as _table
from clausality._warnings import warn


#: Who may predict.
BY = ("network", "machines", "both")


class Network:
    """A Bayesian network: nodes with states, arcs, probabilities, and how the columns of its table become states.

    Networks do not change. They are equal if they say the same, and can be copied and pickled. In a notebook one is its picture.

    >>> import clausality as cl
    >>> asia = cl.load("asia")
    >>> asia
    Network 'asia': 8 nodes, 8 arcs, 18 parameters
    >>> asia.nodes
    ['asia', 'tub', 'smoke', 'lung', 'bronc', 'either', 'xray', 'dysp']
    """

    def __init__(self, core_network: core.Network, kind: str | None = None, targets: Iterable[str] = ()):
        self._core = core_network
        self._kind = kind
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

    def _node(self, name: str) -> dict[str, Any]:
        name = node_name(self._nodes, "node", name)
        if name not in self._nodes:
            self._core.cpt(name)  # says what was meant
        return self._nodes[name]

    @cached_property
    def _states(self) -> dict[str, list[str]]:
        return {name: node["states"] for name, node in self._nodes.items()}

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
        asked = question(self._states, target, given, do, likely, "joint" if joint else "posterior", samples, seed)
        document, told = self._core.query(asked, everywhere_json(None, memory_limit))
        warn(told)
        return Answer.of(json.loads(document))

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
        asked = question(self._states, targets, given, do, None, "mpe", None, 1)
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
        return Network(changed, self._kind, self._core.predicted() or self._targets)

    # What helps to decide

    def _insight(
        self,
        asks: dict[str, Any],
        target: str | Iterable[str],
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None,
        do: Mapping[str, Any] | None,
        memory_limit: int | str | None,
    ) -> dict[str, Any]:
        asked = question(self._states, target, given, do, None, "posterior", None, 1)
        document, told = self._core.insight(asked, to_json(asks), everywhere_json(None, memory_limit))
        warn(told)
        return json.loads(document)

    def next(
        self,
        target: str,
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        cost: Mapping[str, float] | None = None,
        memory_limit: int | str | None = None,
    ) -> Any:
        """What to ask next: a frame of what seeing each other node would tell of the target, in bits, the most worthwhile first.

        :param cost: what it costs to see nodes; others cost 1.

        >>> import clausality as cl
        >>> found = cl.load("asia").next("lung", {"smoke": "yes"}, cost={"either": 10})
        >>> found["node"][:2], found["cost"][:2]
        (['xray', 'either'], [1.0, 10.0])
        """
        costs = [
            (node_name(self._nodes, "cost", node), _arguments.number(f"cost of '{node}'", x))
            for node, x in _arguments.pairs("cost", cost, "a dict such as {'node': 2.5}")
        ]
        found = self._insight({"next": True, "costs": costs}, target, given, do, memory_limit)
        return of_records(found["next"], ["node", "information", "share", "cost", "per_cost"], self._kind)

    def why(
        self,
        target: str,
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        memory_limit: int | str | None = None,
    ) -> Why:
        """What each finding did to the target, whatever their order; of 12 findings at most.

        >>> import clausality as cl
        >>> list(cl.load("asia").why("lung", {"smoke": "yes", "xray": "yes"}).pushes)
        ['xray', 'smoke']
        """
        return Why(self._insight({"why": True}, target, given, do, memory_limit))

    def tornado(
        self,
        target: str,
        given: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        do: Mapping[str, Any] | None = None,
        *,
        memory_limit: int | str | None = None,
    ) -> Any:
        """How the target would move with each state of every other node: a frame, the largest swing first.

        >>> import clausality as cl
        >>> found = cl.load("asia").tornado("lung")
        >>> found["node"][0], found["state"][0], found["high_given"][0]
        ('either', 'yes', 'yes')
        """
        rows = self._insight({"tornado": True}, target, given, do, memory_limit)["tornado"]
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
        memory_limit: int | str | None = None,
    ) -> Any:
        """What an error in each number of the tables would do: a frame, the steepest first.

        The columns are the node, its state, the states of its parents as text, the number, the slope for every state of the target, and where the
        answer would turn (``flip`` to which ``flip_state``), None where no change of this number alone turns it.

        >>> import clausality as cl
        >>> found = cl.load("asia").sensitivity("bronc", {"dysp": "yes"})
        >>> found.columns
        ['node', 'state', 'given', 'value', 'slope yes', 'slope no', 'flip', 'flip_state']
        """
        rows = self._insight({"sensitivity": True}, target, given, do, memory_limit)["sensitivity"]
        states = self._states[node_name(self._nodes, "target", target)]
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
        memory_limit: int | str | None = None,
    ) -> Decision:
        """What every action is worth, given what is known, and which is the best.

        :param utility: what states are worth and what actions cost: ``{"utility": [{"when": {…}, "value": …}], "action": [{"do": {…}, "cost": …}]}``, or a
            file of it (``.csv``, ``.json``, ``.toml``).

        >>> import clausality as cl
        >>> worth = {"utility": [{"when": {"dysp": "yes"}, "value": -100}], "action": [{"do": {"smoke": "no"}, "cost": 5}]}
        >>> cl.load("asia").decide(worth, {"asia": "yes"}).best
        {'smoke': 'no'}
        """
        if isinstance(utility, Mapping):
            asks = {"utility": dict(utility)}
        else:
            asks = {"utility_file": os.fspath(utility)}
        return Decision(self._insight(asks, (), given, do, memory_limit))

    def test(
        self,
        table: Any,
        against: Any = None,
        *,
        seed: int = 1,
        na: Any = None,
        separator: str | None = None,
        name: str | None = None,
        threads: int | None = None,
        memory_limit: int | str | None = None,
    ) -> Tested:
        """The independences that the network implies, held against rows; how it stands, how its tables fit.

        :param against: a second table, to tell where it differs from the first.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> asia.test(asia.sample(2000), asia.sample(1000, seed=2)).drift[0]["kind"]
        'none'
        """
        given = _table(table, name)
        other = None if against is None else _table(against, None)
        reading, everywhere = reading_json(na, separator), everywhere_json(threads, memory_limit)
        second = None if other is None else (other.source, other.name)
        seed = _arguments.whole("seed", seed)
        document, told = core.test(self._core, given.source, given.name, second, seed, reading, everywhere)
        warn(told)
        return Tested(json.loads(document))

    # Rows

    def sample(self, rows: int, seed: int = 1, frame: str | None = None) -> Any:
        """Rows drawn from the network, as a frame: of the library that its table came from, or of the one that is named.

        >>> import clausality as cl
        >>> cl.load("cancer").sample(2, seed=1)
        Pollution  Smoker  Cancer  Xray      Dyspnoea
        low        False   False   positive  False
        low        True    False   negative  False
        """
        rows, seed = _arguments.whole("rows", rows), _arguments.whole("seed", seed)
        if rows < 1:
            raise core.InputError(f"--rows is {rows}; it must be at least 1")
        if frame is not None and frame not in KINDS:
            raise _arguments.refused("frame", frame, "one of " + ", ".join(map(repr, KINDS)))
        return of_core(self._core.sample(rows, seed), frame or self._kind)

    def predict(self, table: Any, target: str | None = None, *, by: str | None = None, **how: Any) -> Any:
        """The most probable state of a node for every row, in the kind of the table: a pandas or polars series, a NumPy array, a list.

        :param target: the node; it may be left out where the network was learned for one.
        :param by: ``"network"``, ``"machines"`` or ``"both"``; by default what was best when it was learned for this target.
        :param how: ``na``, ``separator``, ``name``, ``threads``, ``memory_limit``.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> asia.predict(asia.sample(4, seed=7), "bronc")
        ['yes', 'no', 'no', 'no']
        """
        return self.prediction(table, target, by=by, **how).labels

    def predict_proba(self, table: Any, target: str | None = None, *, by: str | None = None, **how: Any) -> Any:
        """The probability of every state of a node for every row: a frame with a column for each state. Arguments as for :meth:`predict`.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> asia.predict_proba(asia.sample(2, seed=7), "bronc")
        yes        no
        0.774194   0.225806
        0.0869565  0.913043
        """
        return self.prediction(table, target, by=by, **how).probabilities

    def prediction(
        self,
        table: Any,
        target: str | None = None,
        *,
        by: str | None = None,
        na: Any = None,
        separator: str | None = None,
        name: str | None = None,
        threads: int | None = None,
        memory_limit: int | str | None = None,
    ) -> Prediction:
        """Labels, probabilities, who predicts, and how good it is where the table has the target's own column.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> asia.prediction(asia.sample(500), "either").evaluation["accuracy"]
        1.0
        """
        if target is None:
            target = next(iter(self._core.predicted() or self._targets), None)
        if target is None:
            raise core.InputError("say which node to predict: target=NODE")
        target = node_name(self._nodes, "target", target)
        if by is not None and by not in BY:
            raise _arguments.refused("by", by, "one of " + ", ".join(map(repr, BY)))
        given = _table(table, name)
        reading, everywhere = reading_json(na, separator), everywhere_json(threads, memory_limit)
        (found,), told = core.predict(self._core, given.source, given.name, [target], by, reading, everywhere)
        warn(told)
        return Prediction(found, given)

    def score(
        self,
        table: Any,
        *,
        top: int = 10,
        ess: float = 1.0,
        na: Any = None,
        separator: str | None = None,
        name: str | None = None,
        threads: int | None = None,
        memory_limit: int | str | None = None,
    ) -> Score:
        """How well the network fits rows: log-likelihood, BIC, BDeu, and the surprise of every row.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> found = asia.score(asia.sample(1000))
        >>> round(found.log_likelihood_per_row, 1)
        -2.2
        >>> found.surprise.columns
        ['row', 'surprise', 'column', 'state', 'probability']
        """
        given = _table(table, name)
        top, ess = _arguments.whole("top", top), _arguments.number("ess", ess)
        reading, everywhere = reading_json(na, separator), everywhere_json(threads, memory_limit)
        document, rows, told = core.score(self._core, given.source, given.name, top, ess, reading, everywhere)
        warn(told)
        return Score(json.loads(document), rows, given.kind)

    def impute(
        self,
        table: Any,
        output: str | os.PathLike[str] | None = None,
        *,
        draws: int | None = None,
        write: str = "value",
        seed: int = 1,
        na: Any = None,
        separator: str | None = None,
        name: str | None = None,
        threads: int | None = None,
        memory_limit: int | str | None = None,
    ) -> Any:
        """The table with its gaps filled: with the most probable states, or with draws. Everything else stays as it is.

        :param output: a file for the text of the filled table; else the table itself comes back, in its kind (of a path: its text).
        :param draws: draw so many copies instead; they stand below each other, and a first column ``imputation`` counts them.
        :param write: ``"value"`` as the table records them, or ``"state"``.

        >>> import clausality as cl
        >>> rain = cl.fit([("rain", "wet")], {"rain": ["yes", "no"] * 50, "wet": ["yes", "no"] * 50})
        >>> rain.impute({"rain": ["yes", None, "no"], "wet": [None, "yes", "no"]}).to_dict()
        {'rain': ['yes', 'yes', 'no'], 'wet': ['yes', 'yes', 'no']}
        """
        if hasattr(table, "read_all"):  # a stream can be read once only, and is needed twice
            table = table.read_all()
        given = _table(table, name)
        reading, everywhere = reading_json(na, separator), everywhere_json(threads, memory_limit)
        filling = filling_json(draws, write, seed)
        as_text = output is not None or isinstance(given.source, str)
        document, text, fills, told = core.impute(
            self._core, given.source, given.name, filling, as_text, reading, everywhere
        )
        warn(told)
        if output is not None:
            write_whole(output, text)
            return output
        return text.decode() if as_text else filled(table, fills, draws, coded_kinds(self._core.coding_json()))

    def code(self, table: Any, *, na: Any = None, name: str | None = None, threads: int | None = None) -> Any:
        """The rows of a table under the states of the network, as a frame; nodes without a column are gaps.

        >>> import clausality as cl
        >>> cl.load("cancer").code({"Smoker": ["True", "False"]})["Smoker"]
        ['True', 'False']
        """
        given = _table(table, name)
        coded, told = core.code_rows(
            self._core, given.source, given.name, reading_json(na, None), everywhere_json(threads, None)
        )
        warn(told)
        return of_core(coded, given.kind)

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
        return f"Network '{self.name}': {len(self.nodes)} nodes, {len(self.arcs)} arcs, {self.parameters} parameters"

    def _repr_svg_(self) -> str:
        return self._core.svg()

    def _repr_html_(self) -> str:
        return in_notebook(self._core.svg())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and self._core == other._core

    def __hash__(self) -> int:
        return hash(self._core.json())

    def __reduce__(self) -> tuple:
        return _restored, (self._core.json(), self.source, self._kind, self._targets)

    def __copy__(self) -> Network:
        return self

    def __deepcopy__(self, memo: dict) -> Network:
        return self


def _restored(document: bytes, source: str, kind: str | None, targets: Iterable[str] = ()) -> Network:
    """A network that was pickled: by its versioned document, so that other versions read it."""
    return Network(core.Network.from_json(document, source), kind, targets)


def structure_of(given: Any) -> Any:
    """A structure as the core takes it: a network, a path, or names and arcs."""
    given = getattr(given, "network", given)
    if isinstance(given, Network):
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


def filling_json(draws: Any, write: Any, seed: Any) -> str:
    """How gaps are to be filled, as the core takes it."""
    if write not in ("value", "state"):
        raise _arguments.refused("write", write, "'value' or 'state'")
    draws = None if draws is None else _arguments.whole("draws", draws)
    return to_json({"draws": draws, "write": write, "seed": _arguments.whole("seed", seed)})


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
