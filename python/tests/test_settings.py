"""Keyword arguments, and files of settings."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import clausality as cl


def test_every_option_of_the_command_line_is_a_keyword():
    shown = inspect.signature(cl.learn).parameters
    for name in cl._clausality.setting_names():
        assert {"parameter": "parameters"}.get(name, name.replace("-", "_")) in shown
    assert {"table", "name", "threads", "memory_limit", "progress", "config"} <= set(shown)


#: What a function needs beside settings, where that is no table.
ARGUMENTS = {cl.fit: [[("lung", "xray")], {}], cl.evaluate: [{}, "lung"], cl.demo: ["asia"]}


@pytest.mark.parametrize("function", [cl.learn, cl.strengths, cl.inspect, cl.fit, cl.evaluate, cl.demo])
def test_settings_that_change_nothing_are_refused(rows, command, function):
    help = command(function.__name__, "--help")
    options = {option.replace("-", "_") for option in re.findall(r"--([a-z][a-z-]+)", help)}
    settings = {name.replace("-", "_") for name in cl._clausality.setting_names()}
    shown = {{"parameters": "parameter"}.get(name, name) for name in inspect.signature(function).parameters}
    assert shown & settings == options & settings
    for name in settings - options:
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            function(*ARGUMENTS.get(function, [rows]), **{name: 1})


def test_a_config_may_hold_settings_of_other_functions(rows):
    assert cl.inspect(rows, config={"rounds": 3, "type": {"asia": "ignore"}}).columns["decision"][0] == "dropped"


def test_lists_tuples_dicts_and_numpy(rows):
    plain = cl.learn(rows, require="smoke>lung", unobserved="dysp", bins=3, rounds=1)
    same = cl.learn(rows, require=[("smoke", "lung")], unobserved=["dysp"], bins=np.int64(3), rounds=np.int8(1))
    assert plain == same or plain.network == same.network
    tiers = cl.learn(rows, tiers=[["smoke", "asia"], ["lung", "tub"]], rounds=1)
    assert tiers.params["tiers"] == [["smoke", "asia"], ["lung", "tub"]]
    assert not [arc for arc in tiers.network.arcs if arc in (("lung", "smoke"), ("tub", "asia"))]


def test_tiers_from_a_file(rows, tmp_path):
    path = tmp_path / "tiers.txt"
    path.write_text('smoke, asia\n\n"lung",tub\n')
    assert cl.learn(rows, tiers=path, rounds=1).params["tiers"] == [["smoke", "asia"], ["lung", "tub"]]
    with pytest.raises(cl.InputError, match="there is no such file"):
        cl.learn(rows, tiers=tmp_path / "nothing")


CONFIG = """
seed = 7
rounds = 1
max_parents = 2
top = 2
threads = 1
memory-limit = "1G"
require = ["smoke>lung"]
[type]
asia = "ignore"
"""


def test_settings_from_a_file(rows, tmp_path, command):
    (tmp_path / "c.toml").write_text(CONFIG)
    table = tmp_path / "t.csv"
    rows.to_pandas().to_csv(table, index=False)
    command("learn", table, "--config", tmp_path / "c.toml", "--max-parents", 3, "--run", tmp_path / "run", "--quiet")
    run = cl.learn(table, config=tmp_path / "c.toml", max_parents=3)
    assert run.network.to_bytes() == (tmp_path / "run" / "network.json").read_bytes()
    assert run.targets == cl.read(tmp_path / "run").targets and len(run.targets[0]["top"]) == 2
    same = dict(seed=7, rounds=1, max_parents=2, top=2, require=["smoke>lung"], type={"asia": "ignore"})
    assert cl.learn(table, config=same, max_parents=3).network == run.network


@pytest.mark.parametrize("text", ["sead = 3", "seed = 'x'", "bins = [", "type = 3"])
def test_wrong_files_are_refused_at_their_place(rows, tmp_path, command, text):
    (tmp_path / "c.toml").write_text("rounds = 1\n" + text + "\n")
    table = tmp_path / "t.csv"
    rows.to_pandas().to_csv(table, index=False)
    _, message = command("learn", table, "--config", tmp_path / "c.toml", ok=False)
    with pytest.raises(cl.InputError) as caught:
        cl.learn(table, config=tmp_path / "c.toml")
    assert str(caught.value) == message and caught.value.place[1] >= 2


def test_marks_may_be_numbers_and_mean_them(tmp_path):
    import pandas as pd

    hours = [99.0 if k % 10 == 0 else k % 17 for k in range(120)]
    frame = pd.DataFrame({"hours": hours, "sex": ["MF"[k % 2] for k in range(120)]})
    path = tmp_path / "hours.csv"
    frame.to_csv(path, index=False)
    for na in [{"hours": 99}, {"hours": 99.0}, {"hours": [99]}, {"hours": "99"}, {"hours": "99.0"}, 99, np.float64(99), {"hours": np.int64(99)}]:
        for table in (frame, path):
            assert cl.inspect(table, na=na).document["columns"][0]["missing"] == 12, na


@pytest.mark.parametrize("setting", [{"cuts": {"x": [float("nan")]}}, {"na": float("inf")}, {"cuts": {"x": np.array([1.0, np.inf])}}])
def test_what_is_no_number_is_refused_by_its_option(rows, setting):
    with pytest.raises(cl.InputError, match=f"^{next(iter(setting))}: (nan|inf) is no number"):
        cl.inspect(rows, **setting)
