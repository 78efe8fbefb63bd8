"""Indices of pandas that may say when: taken where nothing speaks against it, told of where they are left out."""

import warnings

import clausality as cl
import numpy as np
import pandas as pd
import pytest

QUICK = dict(progress=False, epochs=1, rounds=1)


def _panel(days=40, names=("id", "when")):
    rng = np.random.default_rng(2)
    index = pd.MultiIndex.from_product([["x", "y", "z"], pd.date_range("2020-01-01", periods=days)], names=names)
    columns = {name: rng.choice(list("yn"), len(index)) for name in "ab"}
    return pd.DataFrame({**columns, "weight": 1.0 + rng.integers(0, 2, len(index))}, index=index)


def _told(work):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = work()
    return found, [str(one.message) for one in told if issubclass(one.category, cl.DataWarning) and "time=" in str(one.message)]


@pytest.mark.parametrize("against", [{"target": "a"}, {"row_weights": "weight"}, {"target": "a", "folds": 3}, {"config": {"target": "a"}}])
def test_what_contradicts_time_leaves_the_index_out(against):
    run, told = _told(lambda: cl.learn(_panel(), **against, **QUICK))
    assert type(run) is cl.Run
    assert len(told) == 1 and "time='when', entity='id', without" in told[0] and "time=False" in told[0], told


def test_estimators_learn_from_rows():
    frame = _panel()
    model, told = _told(lambda: cl.BayesianNetworkClassifier(target="a").fit(frame[["a", "b"]]))
    assert len(model.predict(frame[["b"]])) == len(frame) and "time='when'" in told[0]
    model, told = _told(lambda: cl.BayesianNetwork().fit(frame[["a", "b"]]))
    assert len(model.score_samples(frame[["a", "b"]])) == len(frame) and "time='when'" in told[0]
    assert _told(lambda: cl.BayesianNetwork(settings={"time": False}).fit(frame[["a", "b"]]))[1] == []


def test_an_index_of_entities_and_dates_is_taken_unless_time_is_false():
    frame = _panel()[["a", "b"]]
    assert type(cl.learn(frame, lags=1, **QUICK)) is cl.DynamicRun
    for work in (lambda **how: cl.learn(frame, **QUICK, **how), lambda **how: cl.inspect(frame, **how), lambda **how: cl.strengths(frame, **QUICK, **how)):
        for how in ({"time": False}, {"config": {"time": False}}):
            found, told = _told(lambda: work(**how))
            assert told == []
            assert not isinstance(found, cl.DynamicRun)
    assert _told(lambda: cl.learn(frame.droplevel(0).iloc[:40], time=False, **QUICK))[1] == []
    assert cl.learn(frame, time=False, **QUICK).network == cl.learn(frame.reset_index(drop=True), **QUICK).network


def _once(frame):
    return frame.set_axis(pd.MultiIndex.from_arrays([range(len(frame)), frame.index.get_level_values(1)], names=["id", "when"]), axis=0)


def _irregular(frame):
    gaps = np.random.default_rng(0).integers(1, 50, 40) ** 2
    stamps = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.cumsum(gaps), unit="h")
    return frame.set_axis(pd.MultiIndex.from_product([["x", "y", "z"], stamps], names=["id", "when"]), axis=0)


@pytest.mark.parametrize("spoilt", [_once, lambda frame: pd.concat([frame, frame]), _irregular])
def test_what_is_wrong_with_an_index_that_nobody_named_says_how_to_leave_it_out(spoilt):
    frame = spoilt(_panel()[["a", "b"]])
    hint = "the index was taken for entity and time: time=False leaves it out"
    with pytest.raises(cl.InputError, match=hint):
        cl.learn(frame, **QUICK)
    with pytest.raises(cl.InputError) as named:
        cl.learn(frame, time="when", entity="id", **QUICK)
    assert hint not in str(named.value)
    assert type(cl.learn(frame, time=False, **QUICK)) is cl.Run


def test_a_column_with_the_name_of_a_level_is_no_entity():
    frame = _panel()[["a", "b"]]
    frame["id"] = np.random.default_rng(1).choice(["p", "q"], len(frame))
    run, told = _told(lambda: cl.learn(frame, **QUICK))
    assert type(run) is cl.Run and "id" in run.network.nodes
    assert len(told) == 1 and "rename_axis" in told[0], told
    unnamed = _panel(names=(None, None))[["a", "b"]].assign(entity="p")
    assert type(_told(lambda: cl.learn(unnamed, **QUICK))[0]) is cl.Run


def test_other_indices_that_may_say_when_are_told_of():
    frame = _panel()[["a", "b"]]
    three = frame.set_axis(pd.MultiIndex.from_tuples([(1, *key) for key in frame.index], names=["site", "id", "when"]), axis=0)
    run, told = _told(lambda: cl.learn(three, **QUICK))
    assert type(run) is cl.Run and len(told) == 1 and "time='when' and entity=…" in told[0], told
    assert type(cl.learn(three, time="when", entity="id", lags=1, **QUICK)) is cl.DynamicRun
    elapsed = frame.set_axis(pd.to_timedelta(range(len(frame)), unit="h"), axis=0)
    run, told = _told(lambda: cl.learn(elapsed, **QUICK))
    assert type(run) is cl.Run and len(told) == 1 and "holds durations" in told[0] and "time='index'" in told[0], told


HOURS = 120


def _elapsed(kind, unit="ns", step=pd.Timedelta(hours=1)):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"t": pd.Series(np.arange(HOURS) * step).astype(f"m8[{unit}]"), **{name: rng.choice(list("yn"), HOURS) for name in "ab"}})
    if kind == "category":
        return frame.astype({"t": "category"})
    if kind == "objects":
        return frame.assign(t=pd.Series([cell.to_pytimedelta() for cell in frame.t], dtype=object))
    if kind == "polars":
        return pytest.importorskip("polars").from_pandas(frame)
    if kind == "pyarrow":
        return pytest.importorskip("pyarrow").Table.from_pandas(frame)
    if kind == "arrow in pandas":
        return frame.astype({"t": pd.ArrowDtype(pytest.importorskip("pyarrow").duration(unit))})
    if kind == "dict":
        return {name: list(frame[name]) for name in frame}
    return frame


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s"])
@pytest.mark.parametrize("kind", ["pandas", "category", "objects", "arrow in pandas", "polars", "pyarrow", "dict"])
def test_durations_to_come_are_durations(kind, unit):
    table = _elapsed(kind, unit)
    found = cl.learn(table, time="t", lags=1, **QUICK).forecast(table, 2)["t"]
    cells = found.to_pylist() if kind == "pyarrow" else list(found)
    assert sorted(set(cells)) == [pd.Timedelta(hours=HOURS), pd.Timedelta(hours=HOURS + 1)]
    if kind in ("pandas", "arrow in pandas", "polars"):
        assert found.dtype == table["t"].dtype


def test_durations_in_the_index_and_rows_as_they_come():
    table = _elapsed("pandas")
    elapsed = table.set_index("t").rename_axis(None)
    found = cl.learn(elapsed, time="index", lags=1, **QUICK).forecast(elapsed, 1)["index"]
    assert set(found) == {pd.Timedelta(hours=HOURS)}
    found = cl.learn(table, time="t", lags=1, step="rows", **QUICK).forecast(table, 1)["t"]
    assert set(found) in ({"+1"}, {pd.Timedelta(hours=HOURS)})


def test_rows_to_come_are_no_numbers():
    rng = np.random.default_rng(5)
    table = {"t": (1000 + np.cumsum(rng.integers(1, 9, 80) ** 2)).tolist(), **{name: rng.choice(list("yn"), 80).tolist() for name in "ab"}}
    for given in (table, pd.DataFrame(table)):
        assert set(cl.learn(given, time="t", lags=1, step="rows", **QUICK).forecast(given, 1)["t"]) == {"+1"}


@pytest.mark.parametrize("kind", ["pandas", "category", "objects", "arrow in pandas", "polars", "pyarrow", "dict"])
def test_parts_of_a_second_are_refused_with_what_to_do(kind):
    table = _elapsed(kind, step=pd.Timedelta(milliseconds=100))
    with pytest.raises(cl.InputError, match="is no time; .*durations are read as seconds: parts of a second have to be counted in a smaller unit"):
        cl.learn(table, time="t", **QUICK)
