"""Stamps of a zone: instants where hours are counted, the calendar of the zone where days are, and forecasts in the kind that came in."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clausality as cl

#: A zone, when its clocks go back and when they go forward.
CHANGES = {
    "Europe/Berlin": ("2023-10-29T01:00", "2024-03-31T01:00"),
    "America/New_York": ("2023-11-05T06:00", "2024-03-10T07:00"),
}
FRAMES = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "pandas with Arrow's types": lambda columns: pd.DataFrame(columns).assign(
        when=pd.Series(columns["when"]).astype(pd.ArrowDtype(pa.timestamp("us", re.sub(r"UTC(?=[+-])", "", str(columns["when"].tz)))))
    ),
    "polars": lambda columns: pl.from_pandas(pd.DataFrame(columns)),
    "pyarrow": lambda columns: pa.Table.from_pandas(pd.DataFrame(columns), preserve_index=False),
    "objects": lambda columns: {"when": list(columns["when"].to_pydatetime()), **{name: list(columns[name]) for name in "ab"}},
}


def rows(count: int) -> dict[str, np.ndarray]:
    """Two columns, the second a step behind the first."""
    draw = np.random.default_rng(7)
    states = [0]
    while len(states) <= count:
        states.append(states[-1] if draw.random() < 0.8 else int(draw.integers(3)))
    return {"a": np.array(["lo", "mid", "hi"])[states[1:]], "b": np.array(["no", "maybe", "yes"])[states[:-1]]}


def stamps(frame) -> list[dt.datetime]:
    """The times of a forecast, each once."""
    cells = frame["when"].to_pylist() if isinstance(frame, pa.Table) else list(frame["when"])
    return list(dict.fromkeys(pd.Timestamp(cell).tz_convert("UTC") for cell in cells))


def type_of(frame) -> object:
    if isinstance(frame, dict):
        return type(frame["when"][0])
    return frame.schema.field("when").type if isinstance(frame, pa.Table) else frame["when"].dtype


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("zone", CHANGES)
@pytest.mark.parametrize("season", [0, 1], ids=["autumn", "spring"])
@pytest.mark.parametrize("last", [-3, 30], ids=["before", "behind"])
def test_hours_are_instants(kind, zone, season, last):
    """The change of the clocks lies within the rows, or within what is forecast."""
    change = pd.Timestamp(CHANGES[zone][season], tz="UTC")
    when = pd.date_range(end=change + pd.Timedelta(hours=last), periods=150, freq="h").tz_convert(zone)
    table = FRAMES[kind]({"when": when, **rows(150)})
    about = cl.inspect(table, time="when")
    assert (about.time["step"], about.time["holes"], about.time["rows"]) == ("1h", 0, 150)
    run = cl.learn(table, time="when", lags=1, progress=False)
    found = run.forecast(table, 6)
    assert stamps(found) == [when[-1].tz_convert("UTC") + pd.Timedelta(hours=k) for k in range(1, 7)]
    assert type_of(found) == type_of(table)
    # The last row alone says when now is.
    one = {name: list(cells)[-1:] for name, cells in ({"when": when, **rows(150)}).items()}
    one = FRAMES[kind]({**one, "when": when[-1:]})
    assert stamps(run.forecast(one, 6)) == stamps(found)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("zone", CHANGES)
@pytest.mark.parametrize("season", [0, 1], ids=["autumn", "spring"])
@pytest.mark.parametrize("last", [-2, 10], ids=["before", "behind"])
def test_days_are_those_of_the_zone(kind, zone, season, last):
    change = pd.Timestamp(CHANGES[zone][season]).normalize()
    days = pd.date_range(end=change + pd.Timedelta(days=last + 4), periods=104, freq="D").tz_localize(zone)
    when = days[:100]
    table = FRAMES[kind]({"when": when, **rows(100)})
    about = cl.inspect(table, time="when")
    assert (about.time["step"], about.time["holes"]) == ("1d", 0)
    found = cl.learn(table, time="when", lags=1, progress=False).forecast(table, 4)
    assert stamps(found) == [day.tz_convert("UTC") for day in days[100:]], "midnights of the zone"
    assert type_of(found) == type_of(table)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("zone", ["UTC", "+05:30", "-03:00", "Europe/London", "Asia/Kolkata"])
def test_zones_whose_clocks_do_not_change(kind, zone):
    if kind == "polars" and zone[0] in "+-":
        pytest.skip("polars knows no such zone")
    when = pd.date_range("2024-01-01 22:00", periods=120, freq="30min", tz=zone)
    table = FRAMES[kind]({"when": when, **rows(120)})
    run = cl.learn(table, time="when", lags=1, progress=False)
    assert (run.network.time["step"], run.network.time["holes"]) == ("30min", 0)
    found = run.forecast(table, 2)
    assert stamps(found) == [when[-1].tz_convert("UTC") + pd.Timedelta(minutes=30 * k) for k in (1, 2)]
    assert type_of(found) == type_of(table)


def test_zones_by_other_names():
    tz = pytest.importorskip("dateutil.tz")
    duckdb = pytest.importorskip("duckdb")
    hours = pd.date_range("2023-10-25", periods=150, freq="h", tz="UTC").tz_convert(tz.gettz("Europe/Berlin"))
    days = pd.date_range("2023-07-10", periods=110, freq="D").tz_localize(tz.gettz("Europe/Berlin"))
    for when, step in ((hours, pd.Timedelta(hours=1)), (days, pd.DateOffset(days=1))):
        frame = pd.DataFrame({"when": when, **rows(len(when))})
        found = cl.learn(frame, time="when", lags=1).forecast(frame, 5)
        assert found["when"].dtype == frame["when"].dtype
        assert list(found["when"].unique()) == [when[-1] + k * step for k in range(1, 6)]
    # A missing one among them is a gap, as anywhere.
    frame["when"] = frame["when"].where(frame.index != 5)
    with pytest.raises(cl.InputError, match="row 6: column 'when': no time"):
        cl.learn(frame, time="when")
    base = duckdb.connect()
    base.sql("set timezone = 'Europe/Berlin'")
    frame = pd.DataFrame({"when": hours.tz_convert("Europe/Berlin"), **rows(150)})
    found = cl.learn(base.from_df(frame), time="when", lags=1).forecast(base.from_df(frame), 2)
    assert found.schema.field("when").type == pa.timestamp("us", "Europe/Berlin")
    assert stamps(found) == [hours[-1].tz_convert("UTC") + pd.Timedelta(hours=k) for k in (1, 2)]


def test_every_kind_says_the_same():
    when = pd.date_range("2023-10-27", periods=150, freq="h", tz="Europe/Berlin")
    said = []
    for frame in FRAMES.values():
        document = cl.learn(frame({"when": when, **rows(150)}), time="when", lags=1, progress=False).network.document
        document["extra"]["made"].pop("run")
        said.append(document)
    assert all(document == said[0] for document in said)
    assert said[0]["extra"]["time"]["to"] == "2023-11-02T04:00:00+0100"


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize("kind", [kind for kind in FRAMES if "Arrow" not in kind])
def test_fractions_of_a_second_are_told(kind, zone):
    when = pd.date_range("2024-01-01", periods=120, freq="250ms", tz=zone)
    with pytest.raises(cl.InputError, match="times are read to the second: write them as whole numbers, of milliseconds"):
        cl.learn(FRAMES[kind]({"when": when, **rows(120)}), time="when", progress=False)


def test_types_of_stamps_and_entities():
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=k) for k in range(120)]
    columns = {"when": days * 2, "who": [7] * 120 + [12] * 120, **{name: np.tile(cells, 2) for name, cells in rows(120).items()}}
    network = cl.learn({name: list(cells) for name, cells in columns.items()}, time="when", entity="who", lags=1).network
    next_day = dt.date(2024, 4, 30)
    found = network.forecast({name: list(cells) for name, cells in columns.items()}, 1)
    assert set(found["when"]) == {next_day} and set(found["who"]) == {7, 12}
    frame = pd.DataFrame(columns)
    found = network.forecast(frame, 1)
    assert set(found["when"]) == {next_day} and found["who"].dtype == frame["who"].dtype
    named = frame.assign(who=pd.Categorical(frame["who"], categories=[12, 7, 3], ordered=True))
    found = network.forecast(named, 1)
    assert found["who"].dtype == named["who"].dtype and set(found["who"]) == {7, 12}
    periods = frame.assign(when=pd.PeriodIndex(pd.to_datetime(frame["when"]), freq="D"))
    assert network.forecast(periods, 1)["when"].dtype == periods["when"].dtype
    polars = pl.DataFrame(columns).with_columns(pl.col("who").cast(pl.String).cast(pl.Enum(["12", "7"])))
    found = network.forecast(polars, 1)
    assert set(found["when"]) == {next_day} and found["who"].dtype == polars["who"].dtype
    arrow = pa.table({**columns, "who": pa.array([str(who) for who in columns["who"]]).dictionary_encode()})
    found = network.forecast(arrow, 1)
    assert found.schema.field("when").type == pa.date32() and found.schema.field("who").type == arrow.schema.field("who").type


def test_rows_that_are_numbered_are_counted_on():
    frame = pd.DataFrame({"row": range(1, 121), **rows(120)})
    run = cl.learn(frame, time="row", step="rows", lags=1)
    found = run.forecast(frame, 2)
    assert found["row"].dtype == frame["row"].dtype and sorted(set(found["row"])) == [121, 122]
    days = frame.assign(row=pd.bdate_range("2024-01-01", periods=120))
    assert set(cl.learn(days, time="row", step="rows", lags=1).forecast(days, 1)["row"]) == {"+1"}, "which day it is nobody knows"


def test_months_as_numbers():
    months = [100 * (2010 + k // 12) + 1 + k % 12 for k in range(122)]
    frame = pd.DataFrame({"month": months[:120], **rows(120)})
    assert any("read as year and month" in text for text in cl.inspect(frame, time="month").warnings)
    run = cl.learn(frame, time="month", lags=1)
    assert run.network.time["step"] == "1mo" and sorted(set(run.forecast(frame, 2)["month"])) == months[120:]
