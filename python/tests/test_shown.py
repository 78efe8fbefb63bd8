"""What results show: warnings as the command line tells them, and lines that fit the screen."""

import os
import pathlib
import pickle
import random
import re
import subprocess

import pandas as pd
import pytest

import clausality as cl

TITANIC = str(pathlib.Path(__file__).parents[2] / "crates" / "clausality" / "tests" / "data" / "titanic.csv")
PROGRAM = os.environ.get("CLAUSALITY_PROGRAM", "")


@pytest.fixture(scope="module")
def titanic():
    return cl.learn(TITANIC, seed=1, progress=False)


def test_warnings_of_one_kind_are_one_line(titanic):
    assert len(titanic.warnings) < len(titanic.notices) == len(titanic.document["warnings"])
    gaps = next(text for text in titanic.warnings if "gaps" in text)
    assert gaps.startswith("5 columns have gaps, which are unknown: age (263 of 1,309 rows), fare (1 of 1,309 rows)")
    assert "4 columns look like ids and are dropped: name, ticket, cabin, body (type={'NAME': 'keep'})" in titanic.warnings
    assert cl.inspect(TITANIC).warnings == titanic.warnings[:3]
    assert pickle.loads(pickle.dumps(titanic)).warnings == titanic.warnings


def test_what_is_shown_tells_the_warnings(titanic):
    about = cl.inspect(TITANIC)
    for shown in (titanic, about):
        text = " ".join(repr(shown).split())
        assert "warning: 4 columns look like ids and are dropped: name, ticket, cabin, body" in text
        assert "warning: 4 columns look like ids and are dropped: name, ticket, cabin, body" in shown._repr_html_()
    assert ", 4 warnings warning: 4 columns" in " ".join(repr(titanic).split())
    many = {f"c{k}": ["a", "b"] * 30 for k in range(3)} | {f"unit {k}": ["€5", "€6"] * 30 for k in range(9)}
    told = cl.inspect(many)
    assert len(told.notices) >= 9 and len(told.warnings) == 2 and "and 1 more" in told.warnings[1]


@pytest.mark.skipif(not os.path.exists(PROGRAM), reason="the program was not built")
@pytest.mark.parametrize(
    "table",
    [
        {"a": [1, 2, 3, 4] * 50, "u": [7] * 200, "v": [8] * 200, "n": list(range(200)), "m": list(range(5, 205))},
        {"a": ["x", "y"] * 100, "e": ["€5", "€6", "€7", "€8"] * 50, "f": ["5%", "6%", "7%", "8%"] * 50},
        {"a": ["x", "y"] * 100, "p": [*range(60, 259, 1)][:195] + ["unknown"] * 5, "q": [*range(1, 196)] + ["-"] * 5},
        {"a": ["x", "y"] * 100, "p": [1, 2, 3, 4, -999] * 40, "q": [0.5, 0.1, 0.7, -999, -999] * 40},
        {"a": ["x", "y"] * 100, "p": [None, "u", "v", "v"] * 50, "q": [None, "u", "u", "v", "v"] * 40},
    ],
)
def test_the_lines_are_those_of_the_program(table, tmp_path):
    path = tmp_path / "table.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    made = subprocess.run([PROGRAM, "inspect", str(path)], capture_output=True, text=True, env={**os.environ, "COLUMNS": "10000"})
    theirs = [line.removeprefix("warning: ") for line in made.stderr.splitlines() if line.startswith("warning: ")]
    mine = cl.inspect(str(path)).warnings
    assert len(mine) == len(theirs) > 0
    for one, other in zip(mine, theirs):
        assert one.partition(" (type=")[0].partition(" (na=")[0] == other.partition(" (--")[0]


def test_what_a_run_may_lack_is_empty(titanic):
    assert titanic.twins == [] and titanic.predictions == [] and titanic.evaluations == []
    assert titanic.truth is None and titanic.bootstrap is None and titanic.time is None
    with pytest.raises(AttributeError, match="no 'twinz'"):
        titanic.twinz


def test_what_is_shown_fits_the_screen(titanic, monkeypatch):
    with pytest.warns(cl.DataWarning, match="'boat' gives 'survived' away"):
        found = cl.evaluate(TITANIC, "survived", folds=2, progress=False)
    assert any("ids and are dropped" in line or "looks like an id" in line for line in found.warnings), found.warnings
    about = cl.inspect(TITANIC)
    shown = [found, titanic.arcs, titanic.trace, titanic.strengths, titanic, about, about.gaps, titanic.gaps, about.columns, about.coded]
    for columns in (80, 60, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        for one in shown:
            assert max(map(len, repr(one).splitlines())) <= columns, repr(one)
    monkeypatch.setenv("COLUMNS", "80")
    assert re.search(r"machines +0\.\d{3} ±0\.\d{3}", repr(found)) and "±" in found._repr_html_()
    assert "male | female" in repr(about) or "female | male" in repr(about)
    assert "… 14 columns, also direction" in repr(titanic.arcs) and "reason" in repr(titanic.trace)
    assert repr(about.gaps).startswith("1,653 gaps in 1,309 rows, of which 313 are complete\n") and about.gaps["cells"] == 1653


def test_evaluating_warns_of_a_copy_of_the_target_as_learning_does():
    rows = cl.load("asia").sample(300, seed=1).to_dict()
    rows["copy"] = [{"yes": "j", "no": "n"}[cell] for cell in rows["bronc"]]
    with pytest.warns(cl.DataWarning, match="'copy' gives 'bronc' away"):
        cl.evaluate(rows, "bronc", folds=2, progress=False)


def test_an_explorer_is_told_in_a_line(titanic):
    pytest.importorskip("anywidget")
    assert repr(cl.Explorer(titanic)) == f"Explorer of Run of {TITANIC}: 1,309 rows, 10 nodes, 16 arcs, 4 warnings"


def test_rows_of_one_stay_together_where_that_is_said():
    draw = random.Random(5)
    people = [(f"p{k}", draw.choice(["no", "yes"]), draw.randint(150, 199), draw.randint(50, 99)) for k in range(60)]
    rows = [(*person, visit) for person in people for visit in range(6)]
    table = dict(zip(["person", "answer", "height", "weight", "visit"], map(list, zip(*rows))))

    def accuracy(**settings):
        found = cl.evaluate(table, "answer", folds=3, rounds=1, epochs=1, progress=False, **settings)
        return found.figures["accuracy"][2], found

    apart, _ = accuracy(type={"person": "ignore"})
    together, _ = accuracy(entity="person")
    assert apart > 0.85 and together < 0.7
    assert any("'person' as the entity keeps rows of one together" in line for line in accuracy()[1].warnings)
