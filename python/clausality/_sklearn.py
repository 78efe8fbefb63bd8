"""What the estimators share: tables as scikit-learn hands them over, under the names that the fit saw; parameters as settings.

A frame stays the frame it is, so that categories, their order, dates and gaps mean what they mean everywhere in the package. Anything else is an
array whose columns are called ``x0``, ``x1`` and so on. At predicting, columns are taken by their place: scikit-learn has made sure that names, where there
are any, are the same in the same order.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, Iterable

try:
    import numpy
    from sklearn.base import BaseEstimator
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_array, validate_data
except ImportError as missing:
    raise ImportError(
        "the estimators of clausality need scikit-learn 1.6 or later: pip install 'clausality[sklearn]' "
        f"({missing}); learn(), Network and all the rest work without it"
    ) from None

from clausality._clausality import InputError
from clausality._frames import Frame
from clausality._settings import reading_json
from clausality._tables import _kind, name_text
from clausality._warnings import GAPS, warn

#: How cells of new rows are read, as the core takes it: what is a gap was settled by the fit, and is kept with the coding.
AS_FITTED = reading_json(None, None)

#: What any table of new rows may hold: a fitted estimator, on its fold after fold, does not talk about it. Nor of weights that they lack: scikit-learn
#: hands these to the fit alone.
ORDINARY = (
    GAPS,
    " lies beyond those that were learned from ",
    " the number is none of those that were learned from ",
    " which is not here: every row counts once",
)


class TableEstimator(BaseEstimator):
    """An estimator that reads tables: categories, texts and gaps are welcome."""

    #: Fewer columns are refused.
    _least_columns = 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _seen(self, X: Any, *, reset: bool) -> Any:
        """X, checked as scikit-learn checks it; at fitting the names of its columns are kept."""
        least = {"ensure_min_samples": 2, "ensure_min_features": self._least_columns} if reset else {}
        X = plain(X)
        if not _is_frame(X):
            X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan", **least)
        elif isinstance(X, Frame):  # scikit-learn does not know it
            check_array(numpy.broadcast_to(0.0, (len(X), len(X.columns))), **least)
            self._check_names(X.columns, reset)
        else:
            check_array(numpy.broadcast_to(0.0, X.shape), **least)
            validate_data(self, X, reset=reset, skip_check_array=True)
        if reset:
            self._names = own_names(X)
        return X

    def _check_names(self, names: list[str], reset: bool) -> None:
        if reset:
            self.feature_names_in_ = numpy.array(names, object)
            self.n_features_in_ = len(names)
        elif names != getattr(self, "feature_names_in_", numpy.array(names, object)).tolist():
            raise InputError(f"the columns {names} are not those of the table that was fitted: {self._names}")
        elif len(names) != self.n_features_in_:
            raise InputError(f"{len(names)} columns, but {self.n_features_in_} in the table that was fitted")

    def _seed(self) -> int | None:
        """The seed that ``random_state`` says; none leaves it at that of the settings."""
        state = self.random_state
        if state is None or isinstance(state, Integral):
            return state if state is None else int(state)
        return int(check_random_state(state).randint(2**31 - 1))

    def _chosen(self, names: Iterable[str], **more: Any) -> dict[str, Any]:
        """Parameters of these names, ``random_state`` and ``settings`` as the keyword arguments of :func:`clausality.learn`."""
        own = {name: getattr(self, name) for name in names} | more
        own = {name: value for name, value in own.items() if value is not None}
        settings = dict(self.settings or {})
        for name in own:
            if name in settings:
                raise InputError(f"'{name}' stands in settings and beside them: say it once")
        return settings | own


def warn_of(told: Iterable[str]) -> None:
    """Warns of what deserves attention in rows that are new to an estimator."""
    warn([message for message in told if not any(part in message for part in ORDINARY)])


def plain(X: Any) -> Any:
    """What is nearly a table as one."""
    if isinstance(X, dict) and not hasattr(X, "shape"):  # one kind of sparse matrix is a dict too
        return Frame(dict(_own_columns(X)))
    return X.collect() if _kind(X) == "polars" and hasattr(X, "collect") else X


def _is_frame(X: Any) -> bool:
    return isinstance(X, Frame) or (_kind(X) is not None and hasattr(X, "shape") and len(X.shape) == 2)


def _own_columns(X: dict) -> Iterable[tuple[str, Any]]:
    """The columns of a dict by the texts of their names; two that are called the same are refused."""
    seen = set()
    for label, cells in X.items():
        if name_text(label) in seen:
            raise InputError(f"two columns are called '{name_text(label)}': give every column a name of its own")
        seen.add(name_text(label))
        yield str(label), cells


def labels(X: Any) -> list[Any]:
    """The columns of a frame as it calls them."""
    return list(X.column_names if _kind(X) == "pyarrow" else X.columns)


def own_names(X: Any) -> list[str]:
    """The names of the columns, as the core reads them."""
    if not _is_frame(X):
        return [f"x{k}" for k in range(X.shape[1])]
    return [name_text(name) for name in labels(X)]


def has_column(X: Any, name: Any) -> bool:
    """Whether a frame has a column of this name."""
    return _is_frame(X) and name_text(name) in own_names(X)


def column(X: Any, name: Any) -> numpy.ndarray:
    """The cells of a column of a frame."""
    place = own_names(X).index(name_text(name))
    cells = X.iloc[:, place] if _kind(X) == "pandas" else X[labels(X)[place]]
    if isinstance(cells, list):  # numbers stay numbers, and what is mixed stays as it is
        kinds = set(map(type, cells))
        return numpy.array(cells, None if len(kinds) == 1 else object)
    return cells.to_numpy()


def without(X: Any, name: Any) -> Any:
    """A frame without a column."""
    kind, names = _kind(X), own_names(X)
    places = [k for k, own in enumerate(names) if own != name_text(name)]
    names = labels(X)
    if kind == "pandas":
        return X.iloc[:, places]
    if kind is not None:
        return X.select([names[k] for k in places])
    return Frame({names[k]: X[names[k]] for k in places})


def rows(X: Any, kept: numpy.ndarray) -> Any:
    """The rows of a table that a mask keeps."""
    kind = _kind(X)
    if kind == "pandas":
        return X.loc[kept]
    if kind is not None:
        return X.filter(kept)
    if isinstance(X, Frame):
        return Frame({name: [cell for cell, keep in zip(X[name], kept) if keep] for name in X.columns})
    return X[kept]


def table_of(X: Any, names: list[str], **more: Any) -> Any:
    """The columns of X under the names that were fitted, and others beside them: a table that :func:`clausality.learn` takes."""
    kind = _kind(X) if _is_frame(X) else None
    if kind == "pandas":
        return X.set_axis(names, axis=1).assign(**more)
    if kind == "polars":
        import polars

        new = [polars.Series(name, cells.tolist()) for name, cells in more.items()]
        return X.rename(dict(zip(X.columns, names))).with_columns(new)
    if kind is not None:
        import pyarrow

        X = X.rename_columns(names)
        for name, cells in more.items():
            X = X.append_column(name, pyarrow.array(cells.tolist()))
        return X
    cells = [X[name] for name in X.columns] if isinstance(X, Frame) else [X[:, k] for k in range(X.shape[1])]
    return dict(zip(names, cells)) | more


def free_name(wish: str, names: list[str]) -> str:
    """A name that no column has."""
    while wish in names:
        wish += "_"
    return wish


def weights_of(sample_weight: Any, count: int) -> numpy.ndarray | None:
    """Weights of rows, checked; None if all rows count alike."""
    if sample_weight is None:
        return None
    weights = check_array(sample_weight, ensure_2d=False, dtype="f8", input_name="sample_weight")
    if weights.shape != (count,):
        raise InputError(f"sample_weight has the shape {weights.shape}, but the table has {count} rows: one weight for each")
    if (weights < 0).any():
        raise InputError("sample_weight has negative weights: they must be at least 0")
    if not weights.any():
        raise InputError("sample_weight is zero in every row: at least one weight must be non-zero")
    return weights
