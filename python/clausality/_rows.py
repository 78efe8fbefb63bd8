"""Rows under a network: drawn, predicted, scored, filled, coded, and held against it; each in the kind that the table came in."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any, Iterable

from clausality import _arguments
from clausality import _clausality as core
from clausality._documents import Document, Score
from clausality._files import write_whole
from clausality._filled import Cells, OwnColumns, coded_kinds, filled, own_cells
from clausality._frames import KINDS, Frame, of_core, to_kind
from clausality._questions import Tested, node_name
from clausality._settings import everywhere_json, reading_json, to_json
from clausality._tables import Table
from clausality._tables import table as _table
from clausality._warnings import warn

#: Who may predict.
BY = ("network", "machines", "both")


class Prediction(Document):
    """The predictions of a node for the rows of a table.

    >>> import clausality as cl
    >>> asia = cl.load("asia")
    >>> found = asia.prediction(asia.sample(2), "lung")
    >>> found.labels, found.states, found.by
    (['no', 'no'], ['yes', 'no'], 'network')
    >>> found
    Prediction of 'lung' by network for 2 rows, accuracy 1.0000
    """

    def __init__(self, found: tuple, given: Table, cells: list | None = None, dtype: Any = None):
        document, states, codes, chances = found
        document = json.loads(document)
        document.pop("file", None)
        super().__init__(document)
        #: The states that are predicted, in the order of the probabilities.
        self.states: list[str] = states
        self._codes, self._chances = codes, chances
        #: The states as cells of the target's column, and its type in the library that the table is of; none where they are texts.
        self._cells = cells
        self._dtype = dtype if cells is not None and _has_room(dtype, cells, given.kind) else None
        self._given = replace(given, source=None)  # the table itself is not needed any more

    @property
    def labels(self) -> Any:
        """The most probable state of every row; none for a row that the network says cannot be. Numbers and truth values are such again, if each is a state.

        >>> import clausality as cl
        >>> cancer = cl.load("cancer")
        >>> cancer.prediction(cancer.sample(2, seed=1), "Smoker").labels
        ['False', 'False']
        """
        kind, index, name = self._given.kind, self._given.index, self.document["target"]
        if kind == "pandas":
            import numpy
            import pandas

            codes = numpy.frombuffer(self._codes, "u1").astype("i2")
            codes[codes == 255] = -1
            if self._cells is not None and (codes >= 0).all() and not hasattr(self._dtype, "categories"):
                return pandas.Series(_array(self._cells)[codes], index=index, name=name, dtype=self._dtype)
            labels = pandas.Series(pandas.Categorical.from_codes(codes, self._cells or self.states), index=index, name=name)
            return labels.astype(self._dtype) if hasattr(self._dtype, "categories") else labels
        cells = self.states if self._cells is None else self._cells
        if kind == "numpy":
            import numpy

            codes = numpy.frombuffer(self._codes, "u1")
            if self._cells is not None and (codes < 255).all():
                own = _array(cells)
                return (own if self._dtype is None else own.astype(self._dtype))[codes]
            return numpy.array([*cells, *[None] * (256 - len(cells))], object)[codes]
        padded = [*cells, *[None] * (256 - len(cells))]
        listed = [padded[code] for code in self._codes]
        if kind == "polars":
            import polars

            if self._cells is None:
                return polars.Series(name, listed, dtype=polars.Enum(self.states))
            return polars.Series(name, listed, dtype=polars.Series(cells).dtype if self._dtype is None else self._dtype)
        if kind == "pyarrow":
            import pyarrow

            made = pyarrow.array(listed, type=pyarrow.array(cells).type if self._dtype is None else self._dtype)
            return made.dictionary_encode() if self._cells is None else made
        return listed

    @property
    def probabilities(self) -> Any:
        """The probability of every state in every row: a frame with a column for each, of NumPy an array.

        >>> import clausality as cl
        >>> cancer = cl.load("cancer")
        >>> cancer.prediction(cancer.sample(2, seed=1), "Smoker").probabilities.columns
        ['True', 'False']
        """
        kind, width = self._given.kind, len(self.states)
        if kind in ("pandas", "numpy"):
            import numpy

            chances = numpy.frombuffer(self._chances, "f8").reshape(-1, width)
            if kind == "numpy":
                return chances
            import pandas

            return pandas.DataFrame(chances, columns=self.states, index=self._given.index)
        flat = memoryview(self._chances).cast("d")
        columns = {state: flat[k::width] for k, state in enumerate(self.states)}
        if kind == "polars":
            import polars

            return polars.DataFrame({state: polars.Series(column.tolist()) for state, column in columns.items()})
        if kind == "pyarrow":
            import pyarrow

            return pyarrow.table({state: pyarrow.array(column.tolist()) for state, column in columns.items()})
        return Frame({state: column.tolist() for state, column in columns.items()})

    def __repr__(self) -> str:
        by = f" by {self.document['by']}"
        said = self.document.get("evaluation")
        good = f", accuracy {said['accuracy']:.4f}" if said else ""
        return f"Prediction of '{self.document['target']}'{by} for {self.document['rows']:,} rows{good}"


class OfRows:
    """What a network does with rows."""

    #: The network itself, its nodes, the library that frames come out in, and what it was learned for.
    _core: core.Network
    _nodes: Any
    _states: Any
    _kind: str | None
    _targets: list[str]
    _cells: Cells | None
    _drawn: Any

    def sample(self, rows: int, seed: int = 1, frame: str | None = None) -> Any:
        """Rows drawn from the network, as a frame: of the library that its table came from, or of the one that is named.

        Columns whose numbers or truth values are states have their type again; where numbers were cut, and of categories, they hold labels.

        >>> import clausality as cl
        >>> cl.load("cancer").sample(2, seed=1)
        Pollution  Smoker  Cancer  Xray      Dyspnoea
        low        False   False   positive  False
        low        True    False   negative  False
        """
        rows, seed = _arguments.whole("rows", rows), _arguments.whole("seed", seed)
        if rows < 1:
            raise core.InputError(f"rows is {rows}; it must be at least 1")
        if frame is not None and frame not in KINDS:
            raise _arguments.refused("frame", frame, "one of " + ", ".join(map(repr, KINDS)))
        return of_core(self._core.sample(rows, seed), frame or self._kind, cells=self._drawn)

    def predict(self, table: Any, target: str | Iterable[str] | None = None, *, by: str | None = None, **how: Any) -> Any:
        """The most probable state of a node for every row, in the kind of the table: a pandas or polars series, a NumPy array, a list. Of
        several nodes: a frame with a column for each.

        :param target: the node, or several; it may be left out where the network was learned for some.
        :param by: ``"network"``, ``"machines"`` or ``"both"``; by default what was best when it was learned for this target.
        :param how: ``na``, ``separator``, ``name``, ``threads``, ``memory_limit``.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> asia.predict(asia.sample(4, seed=7), "bronc")
        ['yes', 'no', 'no', 'no']
        >>> asia.predict(asia.sample(2, seed=7), ["bronc", "lung"])
        bronc  lung
        yes    no
        no     no
        """
        found = self._predictions(table, target, by, **how)
        return found.labels if isinstance(found, Prediction) else _beside_each_other(found)

    def predict_proba(self, table: Any, target: str | Iterable[str] | None = None, *, by: str | None = None, **how: Any) -> Any:
        """The probability of every state of a node for every row: a frame with a column for each state; of several nodes a dict of frames.
        Arguments as for :meth:`predict`.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> asia.predict_proba(asia.sample(2, seed=7), "bronc")
        yes      no
        0.7742   0.2258
        0.08696  0.913
        """
        found = self._predictions(table, target, by, **how)
        return found.probabilities if isinstance(found, Prediction) else {name: each.probabilities for name, each in found.items()}

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
        """Labels, probabilities, who predicts, and how good it is where the table has the target's own column. Of one node: of several ask
        for each.

        >>> import clausality as cl
        >>> asia = cl.load("asia")
        >>> asia.prediction(asia.sample(500), "either").evaluation["accuracy"]
        1.0
        """
        if target is not None:
            target = node_name(self._nodes, "target", target)
        found = self._predictions(table, target, by, na, separator, name, threads, memory_limit)
        if isinstance(found, dict):
            raise core.InputError(f"the network was learned for {', '.join(map(repr, found))}: say which of them is meant, target=NODE")
        return found

    def _predictions(
        self,
        table: Any,
        target: str | Iterable[str] | None,
        by: str | None = None,
        na: Any = None,
        separator: str | None = None,
        name: str | None = None,
        threads: int | None = None,
        memory_limit: int | str | None = None,
    ) -> Prediction | dict[str, Prediction]:
        """The prediction of a node, or of several by their names; of those that the network was learned for, if none is named."""
        if target is None:
            learned_for = self._core.predicted() or self._targets
            target = learned_for[0] if len(learned_for) == 1 else learned_for
        several = not isinstance(target, (str, int))
        targets = [node_name(self._nodes, "target", one) for one in _arguments.several("target", target)]
        if not targets:
            raise core.InputError("say which node to predict: target=NODE")
        if by is not None and by not in BY:
            raise _arguments.refused("by", by, "one of " + ", ".join(map(repr, BY)))
        given = _table(table, name)
        reading, everywhere = reading_json(na, separator), everywhere_json(threads, memory_limit)
        if getattr(given.source, "rows", None) == 0:
            found, told = [self._of_no_row(one, by) for one in targets], []
        else:
            found, told = core.predict(self._core, given.source, given.name, targets, by, reading, everywhere)
        warn(told)
        own, kinds = OwnColumns(table), coded_kinds(self._core.coding_json())
        made = {}
        for one, each in zip(targets, found):
            made[one] = Prediction(each, given, *own_cells(own, one, each[1], kinds, self._cells))
        return made if several else made[targets[0]]

    def _of_no_row(self, target: str, by: str | None) -> tuple[str, list[str], bytes, bytes]:
        """What the core would say of a node for no row at all, which it refuses to read."""
        node = self._node(target)
        states = node["states"][:-1] if node["missing_state"] else node["states"]
        return to_json({"target": target, "by": by or "network", "rows": 0}), states, b"", b""

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
        """How well the network fits rows: log-likelihood, BIC, BDeu, and the surprise of every row. Rows count from 0.

        The log-likelihood is that of what each row has; ``bic`` and ``bdeu`` are of the rows that lack nothing (``complete_rows``), as both
        count families of states.

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
        return Score(json.loads(document), rows, given.kind, given.index)

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
        """The table with its gaps filled: with best guesses, or with draws. Everything else stays as it is.

        The best guess is the most probable value; of numbers that were cut the posterior median, one of the table's own numbers. What rare values
        share (``other``) is no value and never written.

        :param output: a file for the text of the filled table; else the table itself comes back, in its kind (of a path: its text).
        :param draws: draw so many copies instead; they stand below each other, and a first column ``imputation`` counts them.
        :param write: ``"value"`` as the table records them, or ``"state"``: the label of the most probable (or drawn) state.

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
        if getattr(given.source, "rows", None) == 0 and not as_text:
            return filled(table, [], draws, {})
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
        return of_core(coded, given.kind, given.index)

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


def _has_room(dtype: Any, cells: list, kind: str | None) -> bool:
    """Whether a column of this type of a library can hold all these cells: one of another table may be narrower."""
    try:
        if dtype is None or hasattr(dtype, "categories") and kind == "pandas":
            return True
        if kind == "pandas":
            import pandas

            made = pandas.Series(_array(cells), dtype=dtype).tolist()
        elif kind == "numpy":
            made = _array(cells).astype(dtype).tolist()
        elif kind == "polars":
            import polars

            made = polars.Series(cells, dtype=dtype, strict=True).to_list()
        elif kind == "pyarrow":
            import pyarrow

            made = pyarrow.array(cells, type=dtype).to_pylist()
        else:
            return False
    except Exception:  # each library has its own
        return False
    return not any(isinstance(cell, int) for cell in cells) or made == cells


def _array(cells: list) -> Any:
    """Cells as a NumPy array: of numbers or truth values where all are such, else of objects."""
    import numpy

    kinds = set(map(type, cells))
    if kinds <= {int, float} or kinds == {bool}:
        return numpy.array(cells)
    made = numpy.empty(len(cells), object)
    made[:] = cells
    return made


def _beside_each_other(found: dict[str, Prediction]) -> Any:
    """The labels of several nodes as one frame, in the kind of the table."""
    labels = {name: each.labels for name, each in found.items()}
    kind = next(iter(found.values()))._given.kind
    if kind == "polars":
        import polars

        return polars.DataFrame(list(labels.values()))
    if kind != "numpy":
        return to_kind(labels, kind)
    import numpy

    kinds = {column.dtype for column in labels.values()}
    return numpy.stack([column if len(kinds) == 1 else column.astype(object) for column in labels.values()], axis=1)


def filling_json(draws: Any, write: Any, seed: Any) -> str:
    """How gaps are to be filled, as the core takes it."""
    if write not in ("value", "state"):
        raise _arguments.refused("write", write, "'value' or 'state'")
    draws = None if draws is None else _arguments.whole("draws", draws)
    return to_json({"draws": draws, "write": write, "seed": _arguments.whole("seed", seed)})
