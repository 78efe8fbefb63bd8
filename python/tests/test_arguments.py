"""Arguments of a wrong kind: one message that names the keyword, and never a traceback of the machinery."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import clausality as cl

TABLE = {"r": ["y", "n"] * 60, "z": ["yes", "no"] * 60}


@pytest.mark.parametrize(
    "how",
    [
        dict(parameters=3.5),
        dict(parameters=3),
        dict(target=3),
        dict(target={"r": 1}),
        dict(tiers=[1, 2]),
        dict(tiers=5),
        dict(require=5),
        dict(forbid=[5]),
        dict(threads="x"),
        dict(threads=0),
        dict(top=-1),
        dict(top="x"),
        dict(seed=-1),
        dict(seed="x"),
        dict(memory_limit=1.5),
        dict(memory_limit="much"),
        dict(max_parents=-1),
        dict(max_parents="x"),
        dict(bins=object()),
        dict(bins={"r": b"x"}),
        dict(config=3),
        dict(name=3),
        dict(profile="x"),
        dict(run=3),
        dict(rows_held=3),
        dict(row_weights="nope"),
        dict(max_categories=0),
    ],
    ids=str,
)
def test_learning(how):
    (keyword,) = how
    with pytest.raises(cl.InputError) as caught:
        cl.learn(TABLE, **how)
    said = str(caught.value)
    assert keyword.replace("_", "-") in said.replace("_", "-") or "column '3'" in said or "column '1'" in said or keyword == "bins"
    assert not any(word in said for word in ("usize", "u64", "at line", "invalid type", "invalid value"))
    assert caught.value.hint is None or isinstance(caught.value.hint, str)
    assert caught.value.place is None or len(caught.value.place) == 3


@pytest.mark.parametrize(
    "ask, said",
    [
        (lambda n: n.query(3), "'3'"),
        (lambda n: n.query(None), "target is None"),
        (lambda n: n.query("z", given=3), "given is 3"),
        (lambda n: n.query("z", given="z=yes"), "given is 'z=yes'"),
        (lambda n: n.query("z", given=["z=yes"]), "given is"),
        (lambda n: n.query("z", do=["z"]), "do is"),
        (lambda n: n.query("z", likely={"z": {"yes": "x"}}), "likely of 'z' is 'x'"),
        (lambda n: n.query("z", likely={"z": 3}), "likely is 3"),
        (lambda n: n.query("z", samples="x"), "samples is 'x'"),
        (lambda n: n.query("z", seed=-1), "seed is -1"),
        (lambda n: n.query("z", given={"r": "\ud800"}), "half a character"),
        (lambda n: n.sample("x"), "rows is 'x'"),
        (lambda n: n.sample(2, seed=-1), "seed is -1"),
        (lambda n: n.sample(2, frame="foo"), "frame is 'foo', but expected one of 'pandas'"),
        (lambda n: n.score(TABLE, top=-1), "top is -1"),
        (lambda n: n.score(TABLE, ess="x"), "ess is 'x'"),
        (lambda n: n.impute(TABLE, draws=-1), "draws is -1"),
        (lambda n: n.impute(TABLE, write="x"), "write is 'x'"),
        (lambda n: n.predict(TABLE, {}), "target is"),
        (lambda n: n.states(None), "node is None"),
        (lambda n: n.write(3.5), "path is 3.5"),
        (lambda n: cl.load(3), "name is 3"),
        (lambda n: cl.read(3.5), "path is 3.5"),
        (lambda n: cl.demo(3), "network is 3"),
        (lambda n: cl.validate(rows=-1), "rows is -1"),
    ],
)
def test_asking(ask, said):
    network = cl.fit([("r", "z")], TABLE)
    with pytest.raises(cl.InputError) as caught:
        ask(network)
    assert said in str(caught.value)
    assert caught.value.hint is None and caught.value.place is None


def test_numpy_numbers_are_numbers():
    network = cl.fit([("r", "z")], TABLE)
    assert len(network.sample(np.int64(3), seed=np.uint8(2))) == 3
    assert len(cl.learn(TABLE, top=np.int32(1), threads=np.int8(1), rounds=1).targets[0]["top"]) == 1


def test_truth_values_are_states_in_any_case():
    cancer = cl.load("cancer")
    want = cancer.query("Cancer", given={"Smoker": "True"}).probabilities
    assert cancer.query("Cancer", given={"Smoker": True}).probabilities == want
    assert cancer.query("Cancer", given={"Smoker": np.bool_(True)}).probabilities == want
    assert cancer.query("Cancer", do={"Smoker": True}).probabilities == cancer.query("Cancer", do={"Smoker": "True"}).probabilities
    assert cancer.query("Smoker", likely={"Cancer": {True: 0.5, False: 0.1}}).most_likely == "False"


def test_an_answer_is_like_a_dict():
    answer = cl.load("asia").query("bronc", given={"smoke": "yes"})
    assert dict(answer) == answer.probabilities == dict(answer.items())
    assert len(answer) == 2 and list(answer.keys()) == list(answer) and list(answer.values()) == [0.6, 0.4]


def test_markup_in_names_and_states_is_text():
    nasty = {"<b>r</b>": ["<i>y</i>", "n"] * 60, "z": ["<script>", "no"] * 60}
    run = cl.learn(nasty, rounds=1)
    network = run.network
    answer = network.query("z", given={"<b>r</b>": "<i>y</i>"})
    with pytest.warns(cl.DataWarning, match="gives 'z' away"):
        judged = cl.evaluate(nasty, "z", folds=2, rounds=1)
    shown = [answer, network.sample(3), cl.inspect(nasty), network, run, judged]
    for one in shown:
        page = one._repr_html_()
        assert not any(tag in page for tag in ("<b>", "<i>", "<script>")), type(one)


def test_what_comes_back_can_be_pickled(rows, asia):
    import pandas as pd

    frame = rows.to_pandas()
    for kind in (rows, frame, rows.to_polars(), rows.to_arrow()):
        about, score, found = cl.inspect(kind), asia.score(kind), asia.prediction(kind, "lung")
        again = [pickle.loads(pickle.dumps(one)) for one in (about, score, found)]
        assert again == [about, score, found]
        want = [about.coded, score.surprise, found.probabilities, found.labels]
        have = [again[0].coded, again[1].surprise, again[2].probabilities, again[2].labels]
        for mine, theirs in zip(have, want):
            assert type(mine) is type(theirs)
            same = mine.equals(theirs) if hasattr(mine, "equals") else mine == theirs
            assert same, type(theirs)
    assert pickle.loads(pickle.dumps(rows)) == rows
    assert isinstance(pickle.loads(pickle.dumps(asia.prediction(frame, "lung"))).labels, pd.Series)
    assert pickle.loads(pickle.dumps(asia.query("lung"))) == asia.query("lung")


def test_wide_frames_and_long_cells_fit_a_screen():
    wide = cl.Frame({f"column {k}": ["two\nlines", "x" * 500] for k in range(100)})
    lines = repr(wide).splitlines()
    assert len(lines) == 4 and lines[-1].startswith("… 100 columns, also column 1,") and max(map(len, lines)) <= 80
    assert "two\\nlines" in lines[1] and "…" in lines[2]
    assert repr(cl.Frame({})) == ""
