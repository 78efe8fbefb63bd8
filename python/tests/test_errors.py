"""What goes wrong is said in the words of the command line, its options as keyword arguments, as exceptions that people catch."""

from __future__ import annotations

import pickle

import numpy
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clausality as cl
from clausality import _tables

BAD = {
    "empty.csv": "",
    "header.csv": "a,b\n",
    "ragged.csv": "a,b\n1,2\n3\n",
    "twice.csv": "a,a\n1,2\n",
    "constant.csv": "a,b\n" + "1,2\n" * 50,
    "ids.csv": "a,b\n" + "".join(f"u{k},{k % 2}\n" for k in range(50)),
    "infinite.csv": "a,b\n" + "1.5,x\n2.5,y\ninf,x\n" * 30,
}


def said(error: BaseException) -> str:
    """A message without the advice that ends it."""
    assert "--" not in str(error)
    return str(error) if error.hint is None else str(error).removesuffix(f" ({error.hint})")


@pytest.mark.parametrize("name", BAD)
def test_the_same_message_as_on_the_command_line(name, command, tmp_path):
    path = tmp_path / name
    path.write_text(BAD[name])
    code, message = command("learn", path, ok=False)
    assert code == 2
    with pytest.raises(cl.InputError) as caught:
        cl.learn(path)
    assert said(caught.value) == message.split(" (--")[0] and isinstance(caught.value, ValueError)


SETTINGS = [
    (dict(bins=1), ["--bins", "1"]),
    (dict(max_categories=1), ["--max-categories", "1"]),
    (dict(require="smoke>smok"), ["--require", "smoke>smok"]),
    (dict(require="smoke>lung", forbid="smoke>lung"), ["--require", "smoke>lung", "--forbid", "smoke>lung"]),
    (dict(parameters=["smoky"]), ["--parameter", "smoky"]),
    (dict(target="lunk"), ["--target", "lunk"]),
    (dict(type={"lunk": "keep"}), ["--type", "lunk=keep"]),
    (dict(row_weights="lung"), ["--row-weights", "lung"]),
    (dict(cuts={"lung": [1, 2]}), ["--cuts", "lung=1,2"]),
]


@pytest.mark.parametrize("keywords, flags", SETTINGS, ids=lambda value: str(value)[:40])
def test_settings_are_refused_in_the_same_words(keywords, flags, command, rows, tmp_path):
    path = tmp_path / "t.csv"
    rows.to_pandas().to_csv(path, index=False)
    code, message = command("learn", path, *flags, ok=False)
    with pytest.raises(cl.InputError) as caught:
        cl.learn(path, **keywords)
    assert (code, message) == (2, str(caught.value))


def test_limits(rows, tmp_path, command):
    path = tmp_path / "t.csv"
    rows.to_pandas().to_csv(path, index=False)
    code, message = command("learn", path, "--memory-limit", "1K", ok=False)
    with pytest.raises(cl.LimitError) as caught:
        cl.learn(path, memory_limit="1K")
    assert (code, message.split(" (--")[0]) == (3, said(caught.value)) and isinstance(caught.value, MemoryError)
    assert caught.value.hint.startswith('memory_limit="4G"')
    with pytest.raises(cl.LimitError):
        cl.learn(rows, memory_limit=1000)
    code, message = command("query", "@asia", "--target", "lung", "--memory-limit", "10", ok=False)
    with pytest.raises(cl.LimitError) as caught:
        cl.load("asia").query("lung", memory_limit=10)
    assert str(caught.value).endswith("(samples=N)")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_long_frame_is_refused_before_it_is_read(kind, monkeypatch):
    """Its codes alone, a byte a cell, are more than may be held: no row needs to be looked at to know that."""
    chunk = pa.array(["x", "y"] * 50_000).dictionary_encode()
    arrow = pa.table({name: pa.chunked_array([chunk] * 1000) for name in "abc"})  # the same rows again and again, held once
    if kind == "pandas":
        table = pd.DataFrame({name: pd.arrays.ArrowExtensionArray(arrow[name]) for name in "abc"})
    else:
        table = arrow if kind == "pyarrow" else pl.concat([pl.DataFrame(dict.fromkeys("abc", pl.Series(chunk)))] * 1000, rechunk=False)

    def read(*_):
        raise AssertionError("it was read")

    monkeypatch.setattr(_tables.Pieces, "piece", read)
    for work in (cl.learn, cl.strengths, cl.inspect):
        with pytest.raises(cl.LimitError) as caught:
            work(table, memory_limit="2M")
        assert str(caught.value).startswith(
            "reading the table needs at least 286 MiB of memory (286 MiB for 100,000,000 rows of 3 columns), and the memory limit is 2 MiB"
        )


def test_places_and_hints(tmp_path):
    path = tmp_path / "ragged.csv"
    path.write_text(BAD["ragged.csv"])
    with pytest.raises(cl.InputError) as caught:
        cl.learn(path)
    assert caught.value.place[0] == str(path) and caught.value.place[1] == 3
    assert (caught.value.file, caught.value.line, caught.value.column) == caught.value.place
    path = tmp_path / "ids.csv"
    path.write_text(BAD["ids.csv"])
    with pytest.raises(cl.InputError) as caught:
        cl.learn(path)
    assert caught.value.hint == 'type={"a": "keep"}'
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and type(again) is cl.InputError


def test_keywords_that_are_none():
    with pytest.raises(TypeError, match=r"learn\(\) got an unexpected keyword argument 'bin'; did you mean 'bins'"):
        cl.learn({}, bin=3)
    with pytest.raises(TypeError, match="under two names"):
        cl.learn({}, parameters=["a"], parameter=["b"])
    with pytest.raises(cl.InputError, match="bins: "):
        cl.learn({"a": [1]}, bins="many")
    with pytest.raises(cl.InputError, match="is no arc"):
        cl.learn({"a": [1]}, forbid=[("a", "b", "c")])
    with pytest.raises(cl.InputError, match="is no size such as 512M"):
        cl.learn({"a": [1]}, memory_limit="much")
    with pytest.raises(cl.InputError, match="between 1 and 4096"):
        cl.learn({"a": [1]}, threads=0)
    with pytest.raises(cl.InputError, match="is no number"):
        cl.learn({"a": [1]}, alpha=float("nan"))


def test_networks_that_are_none(tmp_path, command):
    for argument in ("nothing.bif", "asia", "@asja", str(tmp_path)):
        _, message = command("check", argument, ok=False)
        with pytest.raises(cl.InputError) as caught:
            cl.read(argument)
        assert str(caught.value) == message
    (tmp_path / "bad.bif").write_text("network x {")
    _, message = command("check", tmp_path / "bad.bif", ok=False)
    with pytest.raises(cl.InputError) as caught:
        cl.read(tmp_path / "bad.bif")
    assert str(caught.value) == message
    (tmp_path / "g.dot").write_text("digraph { a -> b }")
    with pytest.raises(cl.InputError, match="a graph without probabilities"):
        cl.read(tmp_path / "g.dot")


def test_questions_that_are_none(asia, command):
    for keywords, flags in (
        (dict(target="lunk"), ["--target", "lunk"]),
        (dict(target="lung", given={"smok": "yes"}), ["--target", "lung", "--given", "smok=yes"]),
        (dict(target="lung", given={"smoke": "maybe"}), ["--target", "lung", "--given", "smoke=maybe"]),
        (dict(target="lung", given={"either": "no", "lung": "yes"}), ["--target", "lung", "--given", "either=no,lung=yes"]),
        (dict(target=["lung", "lung"]), ["--target", "lung,lung"]),
    ):
        code, message = command("query", "@asia", *flags, ok=False)
        with pytest.raises(cl.InputError) as caught:
            asia.query(**keywords)
        assert (code, message) == (2, str(caught.value))
    with pytest.raises(cl.InputError, match="neither a state nor a value"):
        asia.query("lung", do={"smoke": None})
    with pytest.raises(cl.InputError, match="neither a state nor a value"):
        asia.query("lung", given={"smoke": [None]})
    with pytest.raises(cl.InputError, match="no number for its state 'no'"):
        asia.query("lung", likely={"xray": {"yes": 1}})


def test_what_is_no_cell_is_told_by_its_place():
    with pytest.raises(cl.InputError) as raised:
        cl.inspect({"y": [1, 2] * 50, "x": ["a", [1], *["b"] * 98]})
    assert str(raised.value) == (
        "column 'x': row 1 (counted from 0) holds [1] of type list: a cell is a text, a number, a truth value, a date, a duration or None; "
        "turn the cells into one of these, or leave the column out"
    )
    with pytest.raises(cl.InputError, match="table: column 'x' holds b'' of type bytes: a cell is"):
        cl.inspect({"y": [1, 2] * 50, "x": numpy.array([b"a", b"b"] * 50)})
    with pytest.raises(cl.InputError, match="table: column 'y' has 1 row, but column 'x' has 100 rows: every column needs a cell for every row"):
        cl.inspect({"x": [1, 2] * 50, "y": [1]})
