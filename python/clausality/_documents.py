"""Answers that are more than a number: each keeps the JSON document of the command line, and shows the part that people ask for."""

from __future__ import annotations

from html import escape
from typing import Any

from clausality import _clausality as core
from clausality._frames import Frame, of_core, of_records, packed, shorten, to_kind
from clausality._told import in_html, in_lines, together, width, wrapped


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
    table: 200 rows, 2 columns, 1 variable
    name    kind         distinct  missing  role      states or reason
    id      id           200       0        dropped   200 consecutive whole numbers
    smoker  categorical  2         0        observed  no | yes
    warning: column 'id': 200 consecutive whole numbers: it looks like an id and is
      dropped, unless kept (type={'id': 'keep'})
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

    @property
    def warnings(self) -> list[str]:
        """What deserves attention, as the command line tells it: a line for each kind of thing. :attr:`notices` has one for every column.

        >>> import clausality as cl
        >>> about = cl.inspect({"id": range(200), "key": range(7, 207), "smoker": ["yes", "no"] * 100})
        >>> about.warnings, len(about.notices)
        (["2 columns look like ids and are dropped: id, key (type={'NAME': 'keep'})"], 2)
        """
        return together(self.notices)

    @property
    def notices(self) -> list[str]:
        """What deserves attention, a sentence for every column that it is about.

        >>> import clausality as cl
        >>> about = cl.inspect({"id": range(200), "smoker": ["yes", "no"] * 100})
        >>> about.notices == about.document["warnings"]
        True
        """
        return list(self.document["warnings"])

    @property
    def gaps(self) -> Gaps | None:
        """What the gaps of the table say; None where it has none.

        >>> import clausality as cl
        >>> cl.inspect({"a": ["x", "y", None, "x"] * 10, "b": ["u", "v"] * 20}).gaps
        10 gaps in 40 rows, of which 30 are complete
        column  gaps  go with
        a       10    b
        >>> cl.inspect({"a": ["x", "y"] * 20, "b": ["u", "v"] * 20}).gaps is None
        True
        """
        found = self.document.get("gaps")
        return None if found is None else Gaps(found)

    def __repr__(self) -> str:
        return "\n".join([*wrapped(self._heading()), repr(self._shown(width())), *in_lines(self.warnings)])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self._heading())}</p>{self._shown(None)._repr_html_()}{in_html(self.warnings)}"

    def _heading(self) -> str:
        said = self.document
        sizes = [(said["rows"], "row"), (len(said["columns"]), "column"), (said["variables"], "variable")]
        return f"{said['table']}: {', '.join(counted(count, thing) for count, thing in sizes)}"

    def _shown(self, screen: int | None) -> Frame:
        """A row for every column, as the command line shows them; what does not fit on a line is cut."""
        columns: dict[str, list] = {name: [] for name in ("name", "kind", "distinct", "missing", "role", "states or reason")}
        for column in self.document["columns"]:
            dropped = column["decision"] == "dropped"
            told = column["reason"] if dropped else "; ".join(map(self._states, column["variables"]))
            cells = [column["name"], column["kind"], column["distinct"], column["missing"], column["role"] or "dropped", told]
            for cells_of, cell in zip(columns.values(), cells):
                cells_of.append(cell)
        if screen is not None:
            columns["name"] = [shorten(name, screen // 4) for name in columns["name"]]
            wide = [max(len(str(cell)) for cell in [name, *cells]) + 2 for name, cells in list(columns.items())[:-1]]
            columns["states or reason"] = [shorten(told, max(16, screen - sum(wide))) for told in columns["states or reason"]]
        return Frame(columns)

    @staticmethod
    def _states(variable: dict[str, Any]) -> str:
        """The states of a variable; of many the first few."""
        labels = [state["label"] for state in variable["states"]]
        return " | ".join([*labels[:6], *([f"and {len(labels) - 6} more"] if len(labels) > 6 else [])])


class Gaps(dict):
    """What the gaps of a table say: the dict of the document (``cells``, ``complete_rows``, ``columns``, ``findings``, ``patterns``), shown in words."""

    def __repr__(self) -> str:
        finding: dict[str, list[str]] = {}
        for found in self.get("findings", []):
            for column in found["columns"]:
                finding.setdefault(column, []).append(self._with(found["with"]))
        columns: dict[str, list] = {"column": [entry["name"] for entry in self["columns"]], "gaps": [entry["gaps"] for entry in self["columns"]]}
        if finding:
            columns["go with"] = [", ".join(finding.get(name, [])) for name in columns["column"]]
        complete = f"{counted(self['cells'], 'gap')} in {counted(self['rows'], 'row')}, of which {self['complete_rows']:,} are complete"
        return f"{complete}\n{Frame(columns)!r}"

    @staticmethod
    def _with(what: dict[str, Any]) -> str:
        """What gaps go with, in a word or two."""
        kind, said = next(iter(what.items()))
        if kind == "order":
            return "the order of rows"
        name = said if isinstance(said, str) else said[0]
        return f"gaps of {name}" if kind == "gaps" else name


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

    @property
    def warnings(self) -> list[str]:
        """What deserves attention, as the command line tells it; nothing where the document does not say.

        >>> import clausality as cl
        >>> cl.evaluate(cl.load("cancer").sample(200, seed=1), "Cancer", folds=2).warnings
        []
        """
        return together(self.document.get("warnings", []))

    def __repr__(self) -> str:
        return "\n".join([*(repr(Frame(columns)) for columns in self._shown()), *in_lines(self.warnings)])

    def _repr_html_(self) -> str:
        return "".join(Frame(columns)._repr_html_() for columns in self._shown()) + in_html(self.warnings)

    def _shown(self) -> list[dict[str, list[str]]]:
        """A table for each target, as the command line shows it: ± is the standard deviation over the folds."""

        def told(measure: dict[str, float] | None, spread: bool) -> str:
            if not measure:
                return ""
            return f"{measure['mean']:.3f} ±{measure['deviation']:.3f}" if spread else f"{measure['mean']:.3f}"

        shown = []
        for target in self.document["targets"]:
            columns: dict[str, list[str]] = {shorten(target["target"], 20): [result["by"] for result in target["results"]]}
            for title, name in [("accuracy", "accuracy"), ("balanced", "balanced_accuracy"), ("log-loss", "log_loss"), ("Brier", "brier"), ("AUC", "auc")]:
                spread = name in ("accuracy", "log_loss")
                columns[title] = [told(result[name], spread) for result in target["results"]]
            columns["off"] = ["" if result["calibration_error"] is None else f"{result['calibration_error']:.3f}" for result in target["results"]]
            shown.append(columns)
        return shown


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
