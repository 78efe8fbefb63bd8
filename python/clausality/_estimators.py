"""Networks as scikit-learn's estimators: :class:`BayesianNetwork` describes all columns, :class:`BayesianNetworkClassifier` predicts one."""

from __future__ import annotations

import json
from typing import Any, Mapping

from clausality._cells import cell_text
from clausality._sklearn import (
    AS_FITTED,
    TableEstimator,
    column,
    free_name,
    has_column,
    plain,
    rows,
    table_of,
    warn_of,
    weights_of,
    without,
)

# isort: split
import numpy
from sklearn.base import ClassifierMixin, DensityMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_consistent_length, check_is_fitted, column_or_1d

from clausality import _clausality as core
from clausality._clausality import InputError
from clausality._learning import learn
from clausality._network import Network
from clausality._run import Run
from clausality._settings import everywhere_json
from clausality._tables import name_text, table
from clausality._time import left_out
from clausality._warnings import warn

#: Parameters that are settings of the same name.
SETTINGS = (
    "profile assembler bins discretize missing type levels parameters require forbid tiers max_parents prior threads".split()
)

#: Cells that mean "no value" unless ``na`` says otherwise.
MARKS = ("", *core.marks())


class BayesianNetwork(DensityMixin, TableEstimator):
    """A Bayesian network of all columns, learned from a table without a target.

    Parameters are the settings of :func:`clausality.learn` under their names; None leaves a setting as it is. What has no parameter of its own
    goes into ``settings``, such as ``settings={"score": "bic", "na": ["-999"]}``.

    :param profile: ``"hybrid"`` or ``"paper"``.
    :param assembler: who makes a network of the strengths.
    :param bins: states of a numeric column; for all, or by column.
    :param discretize: ``"quantile"``, ``"width"`` or ``"mdl"``.
    :param missing: what a gap means: ``"em"``, ``"pairs"``, ``"state"`` or ``"drop"``; for all columns, or by column.
    :param type: types of columns, by column.
    :param levels: levels from low to high, by column.
    :param parameters: columns that nothing points to.
    :param require: arcs that must be there.
    :param forbid: arcs that must not.
    :param tiers: groups of columns from early to late.
    :param max_parents: the most parents of a node.
    :param prior: how probabilities lean where rows are few.
    :param settings: all other settings, by name.
    :param random_state: the seed of all random choices; None is the default seed, so that the same table gives the same network.
    :param threads: threads to work with; never changes a result.

    After fitting: ``network_`` (a :class:`clausality.Network`), ``run_`` (a :class:`clausality.Run`), ``n_features_in_``, ``feature_names_in_``.

    >>> import clausality as cl
    >>> table = cl.load("asia").sample(1000, seed=1)
    >>> model = cl.BayesianNetwork(max_parents=2).fit(table)
    >>> model.network_.query("lung", given={"smoke": "yes"}).most_likely
    'no'
    >>> round(model.score(table), 1)
    -2.2
    """

    _least_columns = 2  # one column has nothing to depend on

    def __init__(
        self,
        *,
        profile: str | None = None,
        assembler: str | None = None,
        bins: int | Mapping[str, int] | None = None,
        discretize: str | None = None,
        missing: str | Mapping[str, str] | None = None,
        type: Mapping[str, str] | None = None,
        levels: Mapping[str, Any] | None = None,
        parameters: Any = None,
        require: Any = None,
        forbid: Any = None,
        tiers: Any = None,
        max_parents: int | None = None,
        prior: str | None = None,
        settings: Mapping[str, Any] | None = None,
        random_state: Any = None,
        threads: int | None = None,
    ):
        self.profile = profile
        self.assembler = assembler
        self.bins = bins
        self.discretize = discretize
        self.missing = missing
        self.type = type
        self.levels = levels
        self.parameters = parameters
        self.require = require
        self.forbid = forbid
        self.tiers = tiers
        self.max_parents = max_parents
        self.prior = prior
        self.settings = settings
        self.random_state = random_state
        self.threads = threads

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> BayesianNetwork:
        """Learns the network.

        :param X: a pandas, polars or pyarrow frame, a dict of columns, or an array.
        :param y: not used.
        :param sample_weight: how much each row counts, as survey weights do.

        >>> import clausality as cl
        >>> cl.BayesianNetwork().fit({"rain": ["yes", "no", "no"] * 40, "wet": ["yes", "no", "no"] * 40}).network_.nodes
        ['rain', 'wet']
        """
        X = self._seen(X, reset=True)
        weights = weights_of(sample_weight, len(X))
        more = {} if weights is None else {free_name("weight", self._names): weights}
        how = self._chosen(SETTINGS, seed=self._seed(), row_weights=next(iter(more), None))
        if "time" not in how:  # what an estimator is asked of rows is not asked of series
            warn(left_out(X))
            how["time"] = False
        self.run_: Run = learn(table_of(X, self._names, **more), progress=False, **how)
        self.network_: Network = self.run_.network
        return self

    def score_samples(self, X: Any) -> numpy.ndarray:
        """The logarithm of the probability of every row: of what it records, whatever its gaps are.

        The probability is that of the states which the cells become, so models are comparable where they cut numbers alike.

        >>> import clausality as cl
        >>> table = cl.load("asia").sample(500, seed=1)
        >>> cl.BayesianNetwork().fit(table).score_samples(table).shape
        (500,)
        """
        _, found = self._scored(X)
        _, letter, cells, gaps = found.column(found.names().index("surprise"))
        surprise = numpy.frombuffer(cells, letter)
        return -surprise if gaps is None else numpy.where(numpy.frombuffer(gaps, "?"), numpy.nan, -surprise)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of the rows: of what each records, whatever its gaps are.

        >>> import clausality as cl
        >>> table = cl.load("asia").sample(500, seed=1)
        >>> cl.BayesianNetwork().fit(table).score(table) < 0
        True
        """
        told, _ = self._scored(X)
        mean = told["log_likelihood_per_row"]
        return float("-inf") if mean is None else float(mean)

    def _scored(self, X: Any) -> tuple[dict[str, Any], core.Columns]:
        check_is_fitted(self)
        given = table(table_of(self._seen(X, reset=False), self._names))
        everywhere = everywhere_json(self.threads, None)
        document, found, told = core.score(self.network_._core, given.source, given.name, 0, 1.0, AS_FITTED, everywhere)
        warn_of(told)
        return json.loads(document), found

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Rows drawn from the network, in the kind of frame that was fitted, as :meth:`Network.sample` gives them.

        >>> import clausality as cl
        >>> model = cl.BayesianNetwork().fit(cl.load("cancer").sample(500, seed=1))
        >>> model.sample(2, random_state=1).columns
        ['Pollution', 'Smoker', 'Cancer', 'Xray', 'Dyspnoea']
        """
        check_is_fitted(self)
        state = self.random_state if random_state is None else random_state
        seed = BayesianNetwork(random_state=state)._seed()
        return self.network_.sample(n_samples, seed=1 if seed is None else seed)


class BayesianNetworkClassifier(ClassifierMixin, TableEstimator):
    """Predicts a column by a Bayesian network, by Tsetlin machines, or by both: by whichever is best on rows held out.

    It takes the target as scikit-learn does, ``fit(X, y)``, or as a column of the table, ``fit(table)`` with ``target`` naming it; then ``predict`` and
    ``score`` take tables with and without that column.

    :param target: the name of the column to predict; with ``y`` it is what the network calls it.
    :param by: who predicts: ``"network"``, ``"machines"``, ``"both"``; None is who was best when it was learned.

    All other parameters are those of :class:`BayesianNetwork`.

    After fitting: ``classes_``, ``target_`` (the node's name), ``network_``, ``run_``, ``n_features_in_``, ``feature_names_in_``.

    >>> import clausality as cl
    >>> table = cl.load("asia").sample(300, seed=1)
    >>> model = cl.BayesianNetworkClassifier(target="either").fit(table)
    >>> model.predict(table)[:3].tolist(), model.score(table)
    (['no', 'no', 'yes'], 1.0)
    >>> model.network_.parents("either")
    ['lung', 'tub']
    """

    def __init__(
        self,
        target: str | None = None,
        *,
        by: str | None = None,
        profile: str | None = None,
        assembler: str | None = None,
        bins: int | Mapping[str, int] | None = None,
        discretize: str | None = None,
        missing: str | Mapping[str, str] | None = None,
        type: Mapping[str, str] | None = None,
        levels: Mapping[str, Any] | None = None,
        parameters: Any = None,
        require: Any = None,
        forbid: Any = None,
        tiers: Any = None,
        max_parents: int | None = None,
        prior: str | None = None,
        settings: Mapping[str, Any] | None = None,
        random_state: Any = None,
        threads: int | None = None,
    ):
        self.target = target
        self.by = by
        self.profile = profile
        self.assembler = assembler
        self.bins = bins
        self.discretize = discretize
        self.missing = missing
        self.type = type
        self.levels = levels
        self.parameters = parameters
        self.require = require
        self.forbid = forbid
        self.tiers = tiers
        self.max_parents = max_parents
        self.prior = prior
        self.settings = settings
        self.random_state = random_state
        self.threads = threads

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> BayesianNetworkClassifier:
        """Learns a network and machines that predict the target.

        :param X: a pandas, polars or pyarrow frame, a dict of columns, or an array.
        :param y: the classes of the rows; without it, ``target`` is a column of X. Rows without a class take no part then.
        :param sample_weight: how much each row counts, as survey weights do.

        >>> import clausality as cl
        >>> model = cl.BayesianNetworkClassifier().fit([[20], [31], [54], [60]] * 20, ["no", "no", "yes", "yes"] * 20)
        >>> model.predict([[25], [70]]).tolist()
        ['no', 'yes']
        """
        X, own = self._split(X)
        X = self._seen(X, reset=True)
        if y is not None:
            classes, codes = _classes(y)
        elif own is not None:
            classes, codes = _classes_with_gaps(own)
        else:
            raise InputError(
                f"{self.__class__.__name__} requires y to be passed, but the target y is None; "
                + ("or name with target=… a column of X" if self.target is None else f"and X has no column '{self.target}'")
            )
        name = getattr(y, "name", None)
        check_consistent_length(codes, numpy.empty(len(X)))
        weights = weights_of(sample_weight, len(X))
        if weights is not None and not weights.all():  # rows of no weight may be the only ones of a class
            X, codes, weights = rows(X, weights > 0), codes[weights > 0], weights[weights > 0]
            kept, codes = numpy.unique(codes, return_inverse=True)
            classes = classes[kept[kept >= 0]]
            codes = codes - int((kept < 0).any())
        if len(classes) < 2:
            raise InputError(f"the target has only one class, {classes.tolist()}: at least two are needed to tell them apart")
        self.classes_: numpy.ndarray = classes
        wish = self.target if self.target is not None else name if isinstance(name, str) and name.strip() else "y"
        self.target_: str = free_name(name_text(wish), self._names)
        self._learn(X, codes, weights)
        return self

    def _learn(self, X: Any, codes: numpy.ndarray, weights: numpy.ndarray | None) -> None:
        labels = _labels(self.classes_, (self.settings or {}).get("na"))
        more = {self.target_: numpy.array([*labels, None], object)[codes]}  # a gap is -1, which is the last
        if weights is not None:
            more[free_name("weight", [*self._names, self.target_])] = weights
        how = self._chosen(
            SETTINGS,
            seed=self._seed(),
            target=self.target_,
            row_weights=None if weights is None else list(more)[-1],
        )
        how["type"] = {self.target_: "categorical"} | dict(how.get("type") or {})
        how["levels"] = {self.target_: labels} | dict(how.get("levels") or {})
        self.run_: Run = learn(table_of(X, self._names, **more), progress=False, **how)
        self.network_: Network = self.run_.network
        self._labels = labels

    def _split(self, X: Any) -> tuple[Any, numpy.ndarray | None]:
        """X without the target's column, and that column if X has it."""
        X = plain(X)
        if self.target is None or not has_column(X, self.target):
            return X, None
        return without(X, self.target), column(X, self.target)

    def predict_proba(self, X: Any) -> numpy.ndarray:
        """The probability of every class for every row, in the order of ``classes_``.

        >>> import clausality as cl
        >>> table = cl.load("asia").sample(200, seed=1)
        >>> model = cl.BayesianNetworkClassifier(target="bronc", by="network").fit(table)
        >>> model.predict_proba(table).shape
        (200, 2)
        """
        check_is_fitted(self)
        given = table(table_of(self._seen(self._split(X)[0], reset=False), self._names))
        everywhere = everywhere_json(self.threads, None)
        ((_, states, _, found),), told = core.predict(
            self.network_._core, given.source, given.name, [self.target_], self.by, AS_FITTED, everywhere
        )
        warn_of(told)
        chances = numpy.frombuffer(found, "f8").reshape(-1, len(states))
        chances = chances[:, [states.index(label) for label in self._labels]]
        impossible = numpy.isnan(chances).any(axis=1)
        if impossible.any():  # nothing can be said of such rows but how frequent the classes are
            known = self.network_.query(self.target_).document["posterior"]
            prior = numpy.array([known[label] for label in self._labels])
            chances[impossible] = prior / prior.sum()
        return chances

    def predict(self, X: Any) -> numpy.ndarray:
        """The most probable class of every row.

        >>> import clausality as cl
        >>> table = cl.load("asia").sample(200, seed=1)
        >>> cl.BayesianNetworkClassifier(target="either").fit(table).predict(table)[:2].tolist()
        ['no', 'no']
        """
        chances = self.predict_proba(X)
        return self.classes_[chances.argmax(axis=1)]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of rows that are predicted rightly. Without ``y``, X has the target's column; rows without a class do not count.

        >>> import clausality as cl
        >>> table = cl.load("asia").sample(200, seed=1)
        >>> cl.BayesianNetworkClassifier(target="either").fit(table).score(table)
        1.0
        """
        if y is not None:
            return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))
        own = self._split(X)[1]
        if own is None:
            raise InputError(f"score needs y, or a table with the column '{self.target}'")
        classes, codes = _classes_with_gaps(own)
        known = codes >= 0
        weights = None if sample_weight is None else numpy.asarray(sample_weight)[known]
        return float(accuracy_score(classes[codes[known]], self.predict(X)[known], sample_weight=weights))


def _classes(y: Any) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The classes in order, and the place of every row's; a gap is refused."""
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "O" and any(cell is None for cell in y):
        raise InputError("y contains NaN or None: every row needs a class, or name with target=… a column of X that may have gaps")
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    return numpy.unique(y, return_inverse=True)


def _classes_with_gaps(cells: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The same of a column of a table: the place of a gap is -1."""

    def refuse(cell: Any) -> InputError:
        return InputError(f"{cell!r} in the target's column is no class")

    known = numpy.array([cell_text(cell, refuse) not in (None, *MARKS) for cell in cells.tolist()], bool)
    recorded = cells[known]
    if recorded.dtype.kind == "O" and len(recorded):
        kinds = set(map(type, recorded.tolist()))
        recorded = numpy.array(recorded.tolist(), None if len(kinds) == 1 else object)
    classes, codes = _classes(recorded)
    places = numpy.full(len(cells), -1)
    places[known] = codes
    return classes, places


def _labels(classes: numpy.ndarray, na: Any) -> list[str]:
    """The states of the target's node: the classes as texts; one that would be read as a gap is put into quotes.

    >>> _labels(numpy.array([0.0, 1.0]), None), _labels(numpy.array(["NA", "b"]), None)
    (['0', '1'], ["'NA'", 'b'])
    """

    def refuse(cell: Any) -> InputError:
        return InputError(f"{cell!r} is no class: expected texts, numbers, truth values or dates")

    told = list(na.values()) if isinstance(na, Mapping) else [[] if na is None else na]
    one = (str, int, float)
    marks = {*MARKS, *(str(mark) for marks in told for mark in ([marks] if isinstance(marks, one) else marks))}
    texts = [cell_text(label, refuse) or "" for label in classes.tolist()]
    return [f"'{text}'" if text.strip() in marks else text for text in texts]
