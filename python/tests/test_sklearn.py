"""The estimators as people use them: with frames of every kind, in pipelines, searches and cross-validation."""

from __future__ import annotations

import doctest
import json
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

import clausality as cl
from clausality import _estimators

KINDS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": lambda columns: pa.table({name: pa.array(cells) for name, cells in columns.items()}),
    "dict": dict,
}


def columns(rows: int = 160, gaps: bool = False) -> dict[str, list]:
    """Somebody leaves when old and not a member: numbers, texts, truth values."""
    rng = np.random.default_rng(3)
    age = rng.integers(20, 70, rows)
    member = rng.random(rows) < 0.5
    leaves = np.where(rng.random(rows) < 0.05, rng.random(rows) < 0.5, (age > 45) & ~member)
    made = {
        "age": age.astype(float).tolist(),
        "member": np.where(member, "yes", "no").tolist(),
        "noise": rng.normal(size=rows).round(2).tolist(),
        "left": np.where(leaves, "gone", "here").tolist(),
    }
    if gaps:
        made["age"] = [None if k % 7 == 0 else cell for k, cell in enumerate(made["age"])]
        made["member"] = [None if k % 9 == 1 else cell for k, cell in enumerate(made["member"])]
    return made


def features(made: dict[str, list]) -> dict[str, list]:
    return {name: cells for name, cells in made.items() if name != "left"}


@pytest.fixture(scope="module", params=KINDS)
def kind(request) -> str:
    return request.param


# The classifier


def test_the_target_as_a_column_and_as_y_predict_the_same(kind):
    made = columns()
    frame, X, y = KINDS[kind](made), KINDS[kind](features(made)), made["left"]
    by_column = cl.BayesianNetworkClassifier(target="left").fit(frame)
    by_y = cl.BayesianNetworkClassifier(target="left").fit(X, y)
    assert by_column.network_ == by_y.network_ and by_column.target_ == "left"
    assert by_column.classes_.tolist() == ["gone", "here"]
    assert by_column.feature_names_in_.tolist() == ["age", "member", "noise"] and by_column.n_features_in_ == 3
    chances = by_column.predict_proba(frame)
    assert chances.shape == (160, 2) and np.allclose(chances.sum(axis=1), 1)
    assert np.array_equal(chances, by_column.predict_proba(X)) and np.array_equal(chances, by_y.predict_proba(X))
    assert np.array_equal(by_y.predict(X), by_y.classes_[chances.argmax(axis=1)])
    assert by_column.score(frame) == by_y.score(X, y) > 0.9


def test_it_learns_what_learn_learns():
    made = columns()
    run = cl.learn(made, target="left", type={"left": "categorical"}, levels={"left": ["gone", "here"]}, max_parents=2, seed=5)
    model = cl.BayesianNetworkClassifier("left", max_parents=2, random_state=5).fit(made)
    assert model.network_ == run.network
    assert model.predict(made).tolist() == run.network.predict(made)
    assert np.array_equal(model.predict_proba(made)[:, 0], run.network.predict_proba(made)["gone"])
    assert np.array_equal(
        clone(model).set_params(by="network").fit(made).predict_proba(made)[:, 1],
        run.network.predict_proba(made, by="network")["here"],
    )


def test_runs_come_in_the_kind_of_the_table():
    made = columns()
    for table, expected in ((pd.DataFrame(made), pd.DataFrame), (pl.DataFrame(made), pl.DataFrame), (made, cl.Frame)):
        model = cl.BayesianNetwork().fit(table)
        assert type(model.run_.arcs) is expected and type(model.sample(3)) is expected


@pytest.mark.parametrize(
    "classes",
    [[0, 1], [-1.0, 1.0], [False, True], ["NA", "?"], ["a b", " a b"], [np.datetime64("2020-01-01"), np.datetime64("2021-01-01")]],
    ids=str,
)
def test_classes_come_back_as_they_went_in(classes):
    made = columns()
    y = np.array(classes)[(np.array(made["left"]) == "gone").astype(int)]
    model = cl.BayesianNetworkClassifier().fit(features(made), y)
    assert model.classes_.dtype == y.dtype and model.predict(features(made)).dtype == y.dtype
    assert model.score(features(made), y) > 0.9


def test_marks_are_those_of_the_core():
    known = json.loads(cl.inspect({"a": [1, 2] * 20, "b": [1, 2] * 20}).coding)["na"]
    assert {*known, ""} == set(_estimators.MARKS)


def test_rows_without_a_class_take_no_part(kind):
    made = columns()
    made["left"] = [None if k % 5 == 0 else cell for k, cell in enumerate(made["left"])]
    model = cl.BayesianNetworkClassifier(target="left").fit(KINDS[kind](made))
    assert model.classes_.tolist() == ["gone", "here"]
    assert set(model.predict(KINDS[kind](made))) == {"gone", "here"} and model.score(KINDS[kind](made)) > 0.9
    with pytest.raises(ValueError, match="y contains NaN or None"):
        cl.BayesianNetworkClassifier().fit(features(made), made["left"])


def test_gaps_and_texts_and_new_categories(kind):
    made = columns(gaps=True)
    model = cl.BayesianNetworkClassifier(target="left").fit(KINDS[kind](made))
    assert model.score(KINDS[kind](made)) > 0.85
    strange = KINDS[kind]({"age": [30.0], "member": ["perhaps"], "noise": [0.0]})
    with pytest.warns(cl.DataWarning, match="member"):
        assert model.predict(strange).tolist() == ["here"]


def test_arrays_and_frames_are_taken_by_place():
    made = columns()
    frame = pd.DataFrame(features(made))
    mixed = frame.to_numpy(dtype=object)
    model = cl.BayesianNetworkClassifier().fit(mixed, made["left"])
    assert model.network_.nodes == ["x0", "x1", "x2", "y"] and not hasattr(model, "feature_names_in_")
    named = cl.BayesianNetworkClassifier().fit(frame, pd.Series(made["left"], name="left"))
    assert named.target_ == "left"
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(named.predict_proba(mixed), named.predict_proba(frame))
    with pytest.warns(UserWarning, match="has feature names, but"):
        assert np.array_equal(model.predict_proba(frame), model.predict_proba(mixed))
    with pytest.raises(ValueError, match="(?i)feature names"):
        named.predict(frame[["noise", "age", "member"]])
    with pytest.raises(cl.InputError, match="are not those of the table that was fitted"):
        cl.BayesianNetwork().fit(made).score(features(made))


def test_weights_count():
    made = columns()
    gone = np.array(made["left"]) == "gone"
    plain = cl.BayesianNetworkClassifier(by="network").fit(features(made), made["left"])
    heavy = cl.BayesianNetworkClassifier(by="network").fit(features(made), made["left"], sample_weight=np.where(gone, 5.0, 1.0))
    assert heavy.predict_proba(features(made))[:, 0].mean() > plain.predict_proba(features(made))[:, 0].mean() + 0.02
    network = cl.BayesianNetwork().fit(made, sample_weight=np.where(gone, 5.0, 1.0))
    assert network.network_.nodes == list(made)
    assert network.network_.query("left")["gone"] > cl.BayesianNetwork().fit(made).network_.query("left")["gone"] + 0.2
    for kind in KINDS:
        left = cl.BayesianNetworkClassifier(target="left").fit(KINDS[kind](made), sample_weight=np.where(np.arange(160) < 80, 1, 0))
        half = {name: cells[:80] for name, cells in made.items()}
        assert left.network_.nodes == cl.BayesianNetworkClassifier(target="left").fit(KINDS[kind](half)).network_.nodes
    with pytest.raises(ValueError, match="only one class"):
        cl.BayesianNetworkClassifier().fit(features(made), made["left"], sample_weight=gone)


def test_what_cannot_be_fitted_is_said():
    made = columns()
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None; or name with target"):
        cl.BayesianNetworkClassifier().fit(made)
    with pytest.raises(ValueError, match="X has no column 'exit'"):
        cl.BayesianNetworkClassifier(target="exit").fit(made)
    with pytest.raises(ValueError, match="Unknown label type"):
        cl.BayesianNetworkClassifier(target="noise").fit(made)
    with pytest.raises(cl.InputError, match="'bins' stands in settings and beside them"):
        cl.BayesianNetwork(bins=3, settings={"bins": 4}).fit(made)
    with pytest.raises(TypeError, match="'bin'; did you mean 'bins'"):
        cl.BayesianNetwork(settings={"bin": 4}).fit(made)
    with pytest.raises(cl.InputError, match="'ordinal' or 'label'"):
        cl.Discretizer(encode="onehot").fit(made)
    with pytest.raises(ValueError, match="score needs y"):
        cl.BayesianNetworkClassifier(target="left").fit(made).score(features(made))


def test_parameters_are_settings():
    made = columns()
    model = cl.BayesianNetwork(
        bins=3, max_parents=1, forbid=[("age", "left")], require=["noise>age"], settings={"score": "bic"}, random_state=9, threads=1
    ).fit(made)
    told = model.run_.params
    assert (told["bins"], told["max-parents"], told["score"], told["seed"]) == (3, 1, "bic", 9)
    assert ("noise", "age") in model.network_.arcs and ("age", "left") not in model.network_.arcs
    assert clone(model).get_params() == model.get_params()
    one = cl.BayesianNetwork(random_state=np.random.RandomState(4)).fit(made)
    assert one.run_.params["seed"] == np.random.RandomState(4).randint(2**31 - 1)


def test_tags():
    for estimator in (cl.BayesianNetwork(), cl.BayesianNetworkClassifier(), cl.Discretizer(), cl.Imputer()):
        tags = get_tags(estimator).input_tags
        assert tags.allow_nan and tags.categorical and tags.string and not tags.sparse
    assert get_tags(cl.BayesianNetwork()).estimator_type == "density_estimator"


# The network


def test_the_score_is_the_mean_log_likelihood(kind):
    made = columns()
    model = cl.BayesianNetwork().fit(KINDS[kind](made))
    each = model.score_samples(KINDS[kind](made))
    row = {name: cells[0] for name, cells in made.items()}
    answer = model.network_.query("left", given={name: cell for name, cell in row.items() if name != "left"})
    assert each[0] == pytest.approx(np.log(answer.evidence_probability * answer[row["left"]]))
    assert model.score(KINDS[kind](made)) == pytest.approx(each.mean())
    # What a row lacks is summed out.
    made["age"][3] = None
    gappy = model.score_samples(KINDS[kind](made))
    row = {name: cells[3] for name, cells in made.items() if name not in ("age", "left")}
    answer = model.network_.query("left", given=row)
    assert gappy[3] == pytest.approx(np.log(answer.evidence_probability * answer[made["left"][3]]))
    assert (np.delete(gappy, 3) == np.delete(each, 3)).all()


def test_the_score_of_numbers_beyond_those_that_were_seen():
    made = columns()
    model = cl.BayesianNetwork().fit(made)
    made["age"] = [500.0] * 160
    assert np.isfinite(model.score(made))


def test_samples_are_drawn_by_the_seed():
    model = cl.BayesianNetwork().fit(pd.DataFrame(columns()))
    assert model.sample(20, random_state=2).equals(model.network_.sample(20, seed=2))
    assert not model.sample(20, random_state=2).equals(model.sample(20, random_state=3))
    assert model.sample().shape == (1, 4)


def test_everything_can_be_pickled():
    made = columns(gaps=True)
    for estimator in (cl.BayesianNetworkClassifier("left"), cl.BayesianNetwork(), cl.Discretizer(), cl.Imputer()):
        fitted = estimator.fit(made)
        again = pickle.loads(pickle.dumps(fitted))
        if hasattr(fitted, "predict_proba"):
            assert np.array_equal(again.predict_proba(made), fitted.predict_proba(made))
        elif hasattr(fitted, "transform"):
            assert again.transform(made).columns == fitted.transform(made).columns
        else:
            assert again.network_ == fitted.network_


# Transformers


def test_states_are_those_of_inspect(kind):
    made = columns(gaps=True)
    table = KINDS[kind](made)
    about = cl.inspect(made, bins=3)
    labels = cl.Discretizer(bins=3, encode="label").fit_transform(table)
    assert type(labels) is (cl.Frame if kind == "dict" else type(table))
    places = cl.Discretizer(bins=3).fit(table).transform(table)
    for name in made:
        cells, numbers = list(map(_plain, labels[name])), list(map(_plain, places[name]))
        assert cells == about.coded[name]
        states = cl.Discretizer(bins=3).fit(table).states_[name]
        assert [None if number is None else states[int(number)] for number in numbers] == cells


def _plain(cell):
    cell = cell.as_py() if hasattr(cell, "as_py") else cell
    return None if cell is None or cell != cell else cell


def test_states_of_arrays_dates_and_ids():
    days = [f"2020-{1 + k % 12:02}-{1 + k % 28:02}" for k in range(84)]
    frame = pd.DataFrame({"id": range(84), "day": days, "n": np.arange(84) % 5 / 2.0}, index=range(100, 184))
    coder = cl.Discretizer().fit(frame)
    assert coder.get_feature_names_out().tolist() == ["day weekday", "day when", "n"] == list(coder.transform(frame).columns)
    assert coder.transform(frame).index.equals(frame.index)
    bare = cl.Discretizer(encode="label").fit(frame.to_numpy(dtype=object))
    assert bare.get_feature_names_out().tolist() == ["x1 weekday", "x1 when", "x2"]
    assert bare.get_feature_names_out(["id", "day", "n"]).tolist() == ["day weekday", "day when", "n"]
    assert bare.transform(frame.to_numpy(dtype=object))[0, 0] == "Wed"
    with pytest.warns(cl.DataWarning, match="column 'a': 1 of 2 cells are no state"):
        made = cl.Discretizer().fit({"a": ["u", "v"] * 20, "b": [1, 2] * 20}).transform({"a": ["u", "w"], "b": [1, 2]})
    assert made["a"][0] == 0 and np.isnan(made["a"][1])


def test_cuts_by_description_length_are_those_of_the_network():
    made = columns(400)
    network = cl.learn(made, discretize="mdl").network
    coder = cl.Discretizer(discretize="mdl").fit(made)
    assert coder.states_ == {name: network.states(name) for name in made}
    assert coder.states_["age"] != cl.Discretizer().fit(made).states_["age"]


def test_gaps_are_filled_as_the_network_fills_them(kind):
    made = columns(gaps=True)
    table = KINDS[kind](made)
    filler = cl.Imputer(random_state=3).fit(table)
    done, expected = filler.transform(table), filler.network_.impute(made)
    assert type(done) is (cl.Frame if kind == "dict" else type(table))
    for name in made:
        cells = [_plain(cell) for cell in done[name]]
        assert None not in cells and cells == expected[name]
        assert all(was is None or was == now for was, now in zip(made[name], cells)), "what is recorded stays"
    drawn = cl.Imputer(draws=1, random_state=3).fit(table).transform(table)
    assert [_plain(cell) for cell in drawn["age"]] == filler.network_.impute(made, draws=1, seed=3)["age"]
    copies = cl.Imputer(draws=2, random_state=3).fit(table).transform(table)
    assert [_plain(cell) for cell in copies["imputation"]] == [1] * 160 + [2] * 160


def test_gaps_of_arrays():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 200).astype(float)
    array = np.column_stack([x, 2 * x, np.ones(200)])
    array[::9, 1] = np.nan
    filler = cl.Imputer().fit(array)
    done = filler.transform(array)
    assert done.dtype == float and np.array_equal(done[:, 1], 2 * x)
    assert filler.get_feature_names_out().tolist() == ["x0", "x1", "x2"]
    assert cl.Imputer(draws=3).fit(array).transform(array).shape == (600, 4)
    array[0, 2] = np.nan
    with pytest.warns(cl.DataWarning, match="columns that are no nodes of the network keep their gaps: 'x2' \\(1\\)"):
        assert np.isnan(filler.transform(array)[0, 2])


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_outputs_in_the_library_one_sets(output):
    library = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[output]
    made = columns(gaps=True)
    for table in (pd.DataFrame(made), pl.DataFrame(made), pd.DataFrame(made).to_numpy(dtype=object)):
        for transformer in (cl.Discretizer(), cl.Imputer()):
            done = transformer.set_output(transform=output).fit_transform(table)
            names = ["x0", "x1", "x2", "x3"] if isinstance(table, np.ndarray) else list(made)
            assert type(done) is library and list(done.columns) == names and len(done) == 160


# Together with others


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_pipelines(frame):
    made = columns(gaps=True)
    X, y = frame(features(made)), made["left"]
    ours = make_pipeline(cl.Imputer(), cl.Discretizer(bins=3), cl.BayesianNetworkClassifier()).fit(X, y)
    assert ours.score(X, y) > 0.85 and ours[:-1].get_feature_names_out().tolist() == ["age", "member", "noise"]
    theirs = Pipeline([("fill", cl.Imputer()), ("cut", cl.Discretizer()), ("fit", LogisticRegression())]).fit(X, y)
    assert theirs.score(X, y) > 0.75


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_column_transformers(frame):
    made = columns()
    X, y = frame(features(made)), made["left"]
    parts = [("cut", cl.Discretizer(bins=3), ["age", "member"]), ("scale", StandardScaler(), ["noise"])]
    joined = ColumnTransformer(parts)
    assert joined.fit_transform(X).shape == (160, 3)
    assert joined.get_feature_names_out().tolist() == ["cut__age", "cut__member", "scale__noise"]
    assert type(joined.set_output(transform="pandas").fit_transform(X)) is pd.DataFrame
    assert make_pipeline(ColumnTransformer(parts), LogisticRegression()).fit(X, y).score(X, y) > 0.75


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda made: pd.DataFrame(made).to_numpy(dtype=object)])
def test_searches_and_cross_validation(frame):
    made = columns()
    X, y = frame(features(made)), made["left"]
    model = cl.BayesianNetworkClassifier(by="network")
    found = cross_val_score(model, X, y, cv=2)
    assert found.shape == (2,) and found.min() > 0.7
    search = GridSearchCV(model, {"bins": [2, 4]}, cv=2, scoring="neg_log_loss", error_score="raise").fit(X, y)
    assert search.best_params_["bins"] in (2, 4) and search.best_estimator_.predict(X).shape == (160,)
    densities = GridSearchCV(cl.BayesianNetwork(), {"max_parents": [1, 3]}, cv=2, error_score="raise").fit(frame(made))
    assert np.isfinite(densities.cv_results_["mean_test_score"]).all()
    filled = GridSearchCV(make_pipeline(cl.Imputer(), model), {"imputer__max_parents": [1]}, cv=2, error_score="raise").fit(X, y)
    assert filled.best_score_ > 0.7


def test_cross_validation_with_the_target_as_a_column():
    frame = pd.DataFrame(columns())
    assert cross_val_score(cl.BayesianNetworkClassifier("left", by="network"), frame, cv=2).min() > 0.7
    assert cross_val_score(cl.BayesianNetworkClassifier("left", by="network"), frame, frame["left"], cv=2).min() > 0.7


# Without scikit-learn


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_package_imports_no_other():
    said = run("import clausality, sys; print([name for name in ('sklearn', 'numpy', 'pandas', 'polars', 'pyarrow') if name in sys.modules])")
    assert said.strip() == "[]"


def test_without_scikit_learn_the_rest_works():
    run(
        """
        import sys
        sys.modules["sklearn"] = None
        import clausality as cl
        from clausality import *
        assert len(cl.load("asia").nodes) == 8 and "Imputer" in dir(cl)
        try:
            cl.BayesianNetworkClassifier
        except ImportError as error:
            assert "pip install 'clausality[sklearn]'" in str(error), error
        else:
            raise SystemExit("it was imported")
        try:
            cl.Classifier
        except AttributeError:
            pass
        """
    )


def test_the_page_about_it():
    page = Path(__file__).resolve().parents[2] / "docs" / "scikit-learn.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 15 and not failed


def test_gaps_are_summed_out_of_scores(rows):
    frame = rows.to_pandas()
    model = cl.BayesianNetwork(settings={"rounds": 1}).fit(frame)
    gaps = frame.astype(object)
    gaps.loc[0, "lung"] = None
    assert np.isfinite(model.score_samples(gaps)).all() and model.score_samples(gaps)[0] > model.score_samples(frame)[0]


def test_a_table_of_which_nothing_is_left():
    assert cl.Discretizer().fit_transform([[1, 2]] * 30).shape == (30, 0)
    coder = cl.Discretizer().fit({"a": [1] * 30, "b": [2] * 30})
    assert coder.get_feature_names_out().tolist() == [] and coder.states_ == {}
