"""Columns into states, and gaps filled, as scikit-learn's transformers: :class:`Discretizer` and :class:`Imputer`."""

from __future__ import annotations

import json
from typing import Any, Mapping

from clausality._sklearn import AS_FITTED, TableEstimator, _is_frame, labels, own_names, table_of, warn_of

# isort: split
import numpy
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from clausality import _clausality as core
from clausality._clausality import InputError
from clausality._estimators import SETTINGS
from clausality._filled import COUNTER, coded_kinds, filled
from clausality._frames import Frame, of_core, to_kind
from clausality._learning import inspect, learn
from clausality._network import Network
from clausality._rows import filling_json
from clausality._run import Run
from clausality._settings import everywhere_json
from clausality._tables import _kind, table
from clausality._warnings import warn


class Discretizer(TransformerMixin, TableEstimator):
    """Turns the columns of a table into states, as :func:`clausality.learn` does before it learns.

    Numbers are cut, categories kept (the rarest share ``other``), dates become their parts; ids, names and constant columns are left out. New
    values fall into the outer states; a new category is ``other`` where there is one, else a gap.

    :param encode: ``"ordinal"`` writes the place of the state, from 0, and NaN for a gap; ``"label"`` the state itself.
    :param bins: states of a numeric column; for all, or by column.
    :param cuts: the numbers at which a state begins, by column.
    :param discretize: ``"quantile"``, ``"width"``, or ``"mdl"``: by what the states tell about the neighbours in a network.
    :param missing: ``"state"`` makes gaps a state; for all columns, or by column.
    :param type: types of columns, by column.
    :param levels: levels from low to high, by column.
    :param max_categories: the most states of a column of texts.
    :param settings: other settings of :func:`clausality.inspect`, by name.

    After fitting: ``states_`` (the states of every column that comes out), ``coding_`` (how cells become states, as JSON text), ``n_features_in_``,
    ``feature_names_in_``.

    >>> import clausality as cl
    >>> table = {"age": [20 + 7 * i % 60 for i in range(180)], "smoker": ["yes", "no", None] * 60}
    >>> states = cl.Discretizer(encode="label", bins=2).fit_transform(table)
    >>> next(iter(states.rows()))
    {'age': '<= 50', 'smoker': 'yes'}
    >>> cl.Discretizer().fit_transform(table)["age"][:5]
    [0.0, 0.0, 0.0, 1.0, 1.0]
    """

    def __init__(
        self,
        *,
        encode: str = "ordinal",
        bins: int | Mapping[str, int] | None = None,
        cuts: Mapping[str, Any] | None = None,
        discretize: str | None = None,
        missing: str | Mapping[str, str] | None = None,
        type: Mapping[str, str] | None = None,
        levels: Mapping[str, Any] | None = None,
        max_categories: int | None = None,
        settings: Mapping[str, Any] | None = None,
    ):
        self.encode = encode
        self.bins = bins
        self.cuts = cuts
        self.discretize = discretize
        self.missing = missing
        self.type = type
        self.levels = levels
        self.max_categories = max_categories
        self.settings = settings

    def fit(self, X: Any, y: Any = None) -> Discretizer:
        """Finds out how cells become states.

        >>> import clausality as cl
        >>> cl.Discretizer(cuts={"age": [18, 65]}).fit({"age": [3, 20, 70, 44, 31], "n": [1, 2, 1, 2, 1]}).states_["age"]
        ['< 18', '18 to 64', '>= 65']
        """
        if self.encode not in ("ordinal", "label"):
            raise InputError(f"encode is {self.encode!r}; it must be 'ordinal' or 'label'")
        X = self._seen(X, reset=True)
        how = self._chosen("bins cuts discretize missing type levels max_categories".split())
        given = table_of(X, self._names)
        if how.get("discretize") == "mdl":  # these cuts are those of a network
            self.coding_: str = _coding(learn(given, progress=False, **how).network)
        else:
            self.coding_ = inspect(given, **how).coding
        self._variables = json.loads(self.coding_)["variables"]
        self.states_: dict[str, list[str]] = {
            each["variable"]["name"]: each["variable"]["states"] for each in self._variables
        }
        return self

    def transform(self, X: Any) -> Any:
        """The states of a table, in its kind.

        >>> import clausality as cl
        >>> coder = cl.Discretizer().fit([[1, 10.5], [2, 11.5], [3, 12.5], [4, 14.0], [5, 17.0]] * 10)
        >>> coder.transform([[2, 100]])
        array([[0., 3.]])
        """
        check_is_fitted(self)
        X = self._seen(X, reset=False)
        given = table(table_of(X, self._names))
        coded, unknown = core.code(given.source, given.name, self.coding_, everywhere_json(None, None))
        warn(
            f"column '{column}': {count} of {len(X)} cells are no state of the fitted table and count as gaps"
            for column, count in json.loads(unknown).items()
            if count
        )
        kind = _kind(X) if _is_frame(X) else None
        if self.encode == "label" and _is_frame(X):
            made = of_core(coded, kind)
        else:
            cells = [_cells(coded.column(k), self.encode == "label") for k in range(len(self.states_))]
            if not _is_frame(X):
                return numpy.stack(cells, axis=1) if cells else numpy.empty((len(X), 0))
            made = to_kind({name: column.tolist() for name, column in zip(self.states_, cells)}, kind)
        made = _renamed(made, dict(zip(self._names, labels(X))), self._variables, kind)
        if kind == "pandas":
            made.index = X.index
        return made

    def get_feature_names_out(self, input_features: Any = None) -> numpy.ndarray:
        """The names of the columns that come out: a date has several, what was left out none.

        >>> import clausality as cl
        >>> coder = cl.Discretizer().fit({"id": list(range(40)), "n": [1.5, 2.5] * 20, "flag": ["a", "b"] * 20})
        >>> coder.get_feature_names_out().tolist()
        ['n', 'flag']
        """
        check_is_fitted(self)
        renamed = dict(zip(self._names, map(str, _check_feature_names_in(self, input_features))))
        names = [
            renamed[each["column"]] + each["variable"]["name"].removeprefix(each["column"]) for each in self._variables
        ]
        return numpy.array(names, object)


def _renamed(frame: Any, own: dict[str, Any], variables: list[dict[str, Any]], kind: str | None) -> Any:
    """A frame of states under the names that the columns have in the table itself, blanks at their ends included."""
    names = [str(own[each["column"]]) + each["variable"]["name"].removeprefix(each["column"]) for each in variables]
    if kind == "pandas":
        return frame.set_axis(names, axis=1)
    if kind == "polars":
        return frame.rename(dict(zip(frame.columns, names)))
    if kind == "pyarrow":
        return frame.rename_columns(names)
    return Frame(dict(zip(names, frame.to_dict().values())))


def _coding(network: Network) -> str:
    """How cells become the states of a network that was learned from a table."""
    coding = network._core.coding_json()
    assert coding is not None, "what was learned from a table keeps how it was coded"
    return coding


def _cells(column: tuple, as_labels: bool) -> numpy.ndarray:
    """A coded column: labels and None, or places and NaN."""
    _, codes, labels, _ = column
    places = numpy.frombuffer(codes, "i4")  # a gap is -1
    return numpy.array([*labels, None], object)[places] if as_labels else numpy.where(places < 0, numpy.nan, places)


class Imputer(TransformerMixin, TableEstimator):
    """Fills the gaps of a table with what a Bayesian network thinks: learned from the table it is fitted to, gaps and all.

    :param draws: None fills in best guesses, the most probable value or of numbers that were cut the posterior median; 1 draws from their joint probabilities, so that spread and dependence stay; a larger
        number gives as many drawn copies below each other, counted in a first column ``imputation``.
    :param write: ``"value"``, as the table records them, or ``"state"``.

    All other parameters are those of :class:`clausality.BayesianNetwork`; ``random_state`` is also the seed of the draws.

    After fitting: ``network_``, ``run_``, ``n_features_in_``, ``feature_names_in_``.

    Gaps stay in columns of which the network knows nothing (ids, names, columns with one value), and that is warned of.

    >>> import clausality as cl
    >>> table = {"rain": ["yes", "no", "no", None] * 30, "wet": ["yes", "no", None, "yes"] * 30}
    >>> cl.Imputer().fit_transform(table).to_dict() == {"rain": ["yes", "no", "no", "yes"] * 30, "wet": ["yes", "no", "no", "yes"] * 30}
    True
    """

    _least_columns = 2

    def __init__(
        self,
        *,
        draws: int | None = None,
        write: str = "value",
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
        self.draws = draws
        self.write = write
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

    def fit(self, X: Any, y: Any = None) -> Imputer:
        """Learns the network.

        >>> import clausality as cl
        >>> cl.Imputer().fit([[1, 5], [2, None], [1, 5], [2, 6]] * 20).network_.nodes
        ['x0', 'x1']
        """
        X = self._seen(X, reset=True)
        how = self._chosen(SETTINGS, seed=self._seed())
        self.run_: Run = learn(table_of(X, self._names), progress=False, **how)
        self.network_: Network = self.run_.network
        return self

    def transform(self, X: Any) -> Any:
        """The table with its gaps filled, in its kind; everything else stays as it is.

        >>> import clausality as cl
        >>> filler = cl.Imputer().fit([[1, 5], [2, None], [1, 5], [2, 6]] * 20)
        >>> filler.transform([[1.0, float("nan")], [float("nan"), 6.0]])
        array([[1., 5.],
               [2., 6.]])
        """
        check_is_fitted(self)
        X = self._seen(X, reset=False)
        given = table(table_of(X, self._names))
        seed = self._seed()
        filling = filling_json(self.draws, self.write, 1 if seed is None else seed)
        _, _, found, told = core.impute(
            self.network_._core,
            given.source,
            given.name,
            filling,
            False,
            AS_FITTED,
            everywhere_json(self.threads, None),
        )
        own = dict(zip(self._names, own_names(X)))
        kinds = {own[column]: kind for column, kind in coded_kinds(_coding(self.network_)).items() if column in own}
        made = filled(X, [(own[column], *rest) for column, *rest in found], self.draws, kinds)
        warn_of(told)
        if not _is_frame(X) and made.ndim == 3:  # copies below each other, as of frames
            counter = numpy.repeat(numpy.arange(1, len(made) + 1), made.shape[1])
            made = numpy.column_stack([counter.astype(made.dtype), made.reshape(-1, made.shape[2])])
        return made

    def get_feature_names_out(self, input_features: Any = None) -> numpy.ndarray:
        """The names of the columns that come out: those that went in; of several copies first ``imputation``.

        >>> import clausality as cl
        >>> cl.Imputer(draws=2).fit([[1, 5], [2, None], [1, 5], [2, 6]] * 20).get_feature_names_out().tolist()
        ['imputation', 'x0', 'x1']
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        counter = [COUNTER] if (self.draws or 1) > 1 else []
        return numpy.array([*counter, *names], object)
