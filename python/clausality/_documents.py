"""Answers that are more than a number: each keeps the JSON document of the command line, and shows the part that people ask for."""

from __future__ import annotations

from typing import Any

from clausality import _clausality as core
from clausality._frames import Frame, of_core, of_records, packed, to_kind


def counted(count: int, thing: str) -> str:
    """A count with its noun.

    >>> counted(1, "arc"), counted(1200, "arc")
    ('1 arc', '1,200 arcs')
    """
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


class Document:
    """What a command of the command line would print as JSON, in :attr:`document`; its fields are attributes too."""

    #: Attributes that are columns of the core.
    _KEPT: tuple[str, ...] = ()

    def __init__(self, document: dict[str, Any]):
        #: Everything, as the command line prints it.
        self.document = document

    def __getattr__(self, name: str) -> Any:
        document = self.__dict__.get("document", {})
        if name in document:
            return document[name]
        raise AttributeError(f"{type(self).__name__} has no '{name}'")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.document]

    def __getstate__(self) -> dict[str, Any]:
        return {name: packed(value) if isinstance(value, core.Columns) else value for name, value in self.__dict__.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in self._KEPT:
            self.__dict__[name] = core.Columns.restored(*state[name])

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.document == other.document

    __hash__ = None  # type: ignore[assignment]


class Inspection(Document):
    """What the columns of a table are.

    >>> import clausality as cl
    >>> about = cl.inspect({"id": list(range(200)), "smoker": ["yes", "no"] * 100})
    >>> about
    name    kind         distinct  missing  decision  reason
    id      id           200       0        dropped   200 consecutive whole numbers
    smoker  categorical  2         0        kept      2 categories
    >>> about.rows, len(about.warnings)
    (200, 1)
    """

    _KEPT = ("_coded",)
    #: The columns of :attr:`columns`.
    NAMES = ["name", "kind", "distinct", "missing", "decision", "reason", "role", "variables", "states"]

    def __init__(self, document: dict[str, Any], coded: core.Columns, coding: str, kind: str | None):
        super().__init__(document)
        self._coded, self._kind = coded, kind
        #: How the columns became variables, as JSON text: what codes other tables the same way.
        self.coding = coding

    @property
    def columns(self) -> Any:
        """A frame with a row for every column.

        >>> import clausality as cl
        >>> about = cl.inspect({"age": [31, 44, 19, 70, 55] * 30, "smoker": ["yes", "no", "no", "yes", "no"] * 30})
        >>> about.columns["distinct"]
        [5, 2]
        """
        rows = []
        for column in self.document["columns"]:
            variables = column["variables"]
            states = [state["label"] for variable in variables for state in variable["states"]]
            rows.append({**column, "variables": [variable["name"] for variable in variables], "states": states})
        return of_records(rows, self.NAMES, self._kind)

    @property
    def coded(self) -> Any:
        """The table with every cell as the state it becomes.

        >>> import clausality as cl
        >>> about = cl.inspect({"age": [20 + 7 * i % 60 for i in range(180)], "smoker": ["yes", "no", "no"] * 60})
        >>> next(about.coded.rows())
        {'age': '<= 35', 'smoker': 'yes'}
        """
        return of_core(self._coded, self._kind)

    def __repr__(self) -> str:
        return repr(self._shown())

    def _repr_html_(self) -> str:
        return self._shown()._repr_html_()

    def _shown(self) -> Frame:
        return of_records(self.document["columns"], self.NAMES[:6], None)


class Evaluation(Document):
    """How well columns are predicted, by cross-validation.

    >>> import clausality as cl
    >>> found = cl.evaluate(cl.load("cancer").sample(200, seed=1), "Cancer", folds=2)
    >>> found.targets[0]["target"]
    'Cancer'
    """

    def __init__(self, document: dict[str, Any], kind: str | None):
        super().__init__(document)
        self._kind = kind

    @property
    def winner(self) -> str:
        """Who predicts the first target best: ``network``, ``machines`` or ``both``.

        >>> import clausality as cl
        >>> found = cl.evaluate(cl.load("cancer").sample(200, seed=1), "Cancer", folds=2)
        >>> found.winner in ("network", "machines", "both")
        True
        """
        return self.document["targets"][0]["winner"]

    @property
    def figures(self) -> Any:
        """A frame with a row for everybody who predicts a target: baseline, network, machines, both, chosen.

        >>> import clausality as cl
        >>> found = cl.evaluate(cl.load("cancer").sample(200, seed=1), "Cancer", folds=2)
        >>> found.figures["by"]
        ['baseline', 'network', 'machines', 'both', 'chosen']
        """
        return to_kind(self._figures(), self._kind)

    def _figures(self) -> dict[str, list]:
        names = ["accuracy", "balanced_accuracy", "log_loss", "brier", "auc"]
        rows = [(target["target"], result) for target in self.document["targets"] for result in target["results"]]
        columns: dict[str, list] = {"target": [target for target, _ in rows], "by": [result["by"] for _, result in rows]}
        for name in names:
            columns[name] = [(result[name] or {}).get("mean") for _, result in rows]
            columns[f"{name}_deviation"] = [(result[name] or {}).get("deviation") for _, result in rows]
        columns["calibration_error"] = [result["calibration_error"] for _, result in rows]
        return columns

    def __repr__(self) -> str:
        return repr(Frame(self._figures()))

    def _repr_html_(self) -> str:
        return Frame(self._figures())._repr_html_()


class Comparison(Document):
    """How near a graph is to the true one: ``shd``, ``cpdag_shd``, ``sid``, ``kernel``, ``walk_kernel``, ``skeleton``, ``directed``.

    >>> import clausality as cl
    >>> asia = cl.load("asia")
    >>> without = [arc for arc in asia.arcs if arc != ("smoke", "bronc")]
    >>> cl.compare(asia, without).shd
    1
    """

    def __init__(self, document: dict[str, Any]):
        super().__init__({**document.pop("comparison"), **document})

    def __repr__(self) -> str:
        skeleton, directed = self.document["skeleton"]["f1"], self.document["directed"]["f1"]
        return (
            f"Comparison(shd={self.shd}, cpdag_shd={self.cpdag_shd}, sid={self.sid}, kernel={self.kernel:.3f}, "
            f"skeleton F1={skeleton:.3f}, directed F1={directed:.3f})"
        )


class Score(Document):
    """How well a network fits rows: ``log_likelihood``, ``bic``, ``bdeu``; the rows that surprise it.

    >>> import clausality as cl
    >>> asia = cl.load("asia")
    >>> found = asia.score(asia.sample(100))
    >>> found.rows, found.log_likelihood < 0
    (100, True)
    """

    _KEPT = ("_rows",)

    def __init__(self, document: dict[str, Any], rows: core.Columns, kind: str | None, index: Any = None):
        infinite = {"log_likelihood", "log_likelihood_per_row"}
        told = {key: float("-inf") if value is None and key in infinite else value for key, value in document.items()}
        super().__init__(told)
        self._rows, self._kind, self._index = rows, kind, index

    @property
    def surprise(self) -> Any:
        """A frame with a row for every row of the table, under its index in pandas: its surprise in nats, and the cell that makes it so.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> found = asia.score(asia.sample(100))
        >>> len(found.surprise), found.surprise.columns[:2]
        (100, ['row', 'surprise'])
        """
        return of_core(self._rows, self._kind, self._index)

    @property
    def surprising(self) -> list[dict[str, Any]]:
        """The most surprising rows, each with its number from 0 (the document counts from 1, as the command line does).

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> found = asia.score(asia.sample(100))
        >>> found.surprising[0]["row"] == found.document["surprising"][0]["row"] - 1
        True
        """
        return [{**row, "row": row["row"] - 1} for row in self.document["surprising"]]

    def __repr__(self) -> str:
        def told(value: float | None) -> str:
            return "none" if value is None else f"{value:.2f}"

        of = "" if self.complete_rows == self.rows else f" of {self.complete_rows} complete rows"
        return (
            f"Score(log_likelihood={self.log_likelihood:.2f}, per row {self.log_likelihood_per_row:.4f}, "
            f"bic={told(self.bic)}, bdeu={told(self.bdeu)}{of}, rows={self.rows})"
        )
