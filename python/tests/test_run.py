"""Runs: what they hold, keep, and tell."""

from __future__ import annotations

import copy
import pickle
import webbrowser
from pathlib import Path

import pandas as pd
import pytest

import clausality as cl


def test_a_run_is_kept_and_read_again(run, tmp_path):
    again = cl.read(run.save(tmp_path / "run"))
    assert again == run and again.network == run.network and again.document == run.document
    assert list(again.arcs.rows()) == list(run.arcs.rows())
    assert again.report() == run.report()
    for other in (pickle.loads(pickle.dumps(run)), copy.copy(run), copy.deepcopy(run)):
        assert other == run and hash(other) == hash(run) and other.network.source == run.network.source
    run.save(tmp_path / "run")  # over an earlier one
    assert (tmp_path / "run" / "network.json").read_bytes() == run.network.to_bytes()


def test_the_tables_of_a_run_are_its_files(run, tmp_path):
    run.save(tmp_path)
    edges, strengths = pd.read_csv(tmp_path / "edges.csv"), pd.read_csv(tmp_path / "strengths.csv")
    assert list(edges.columns) == run.arcs.columns and list(strengths.columns) == run.strengths.columns
    assert edges[["parent", "child", "way"]].values.tolist() == list(map(list, zip(run.arcs["parent"], run.arcs["child"], run.arcs["way"])))
    assert edges["gain"].tolist() == pytest.approx(run.arcs["gain"])
    assert strengths["strength"].tolist() == pytest.approx(run.strengths["strength"])
    assert strengths["signal"].tolist() == run.strengths["signal"]


def test_somebody_elses_files_are_not_written_over(run, tmp_path):
    (tmp_path / "edges.csv").write_text("mine")
    with pytest.raises(cl.InputError, match="holds a edges.csv that no run of clausality wrote"):
        run.save(tmp_path)
    (tmp_path / "edges.csv").unlink()
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(cl.InputError, match="run.json"):
        run.save(tmp_path)


def test_a_consensus(rows, tmp_path):
    run = cl.learn(rows, bootstrap=3, rounds=1)
    assert run.consensus is not None and set(run.arcs["confidence"]) <= {0, 1 / 3, 2 / 3, 1}
    run.save(tmp_path)
    assert cl.read(tmp_path).consensus == run.consensus and pickle.loads(pickle.dumps(run)) == run
    other = cl.learn(rows, rounds=1)
    other.save(tmp_path)
    assert other.consensus is None and cl.read(tmp_path).consensus is None


def test_explanations_are_the_command_lines(run, command, tmp_path):
    run.save(tmp_path)
    said = command("explain", tmp_path, "--node", "lung", "--json")
    found = run.explain("lung")
    assert {key: said[key] for key in found.document} == found.document
    for arc in (("smoke", "lung"), "smoke>lung", "smoke -> lung"):
        found = run.explain(arc)
        said = command("explain", tmp_path, "--arc", "smoke>lung", "--json")
        assert {key: said[key] for key in found.document} == found.document
    assert found.rules and found.rules[0] in repr(found)
    with pytest.raises(cl.InputError, match="did you mean 'lung'"):
        run.explain("lnug")


def test_reports(run, asia, tmp_path, monkeypatch):
    page = run.report()
    assert page.startswith("<!DOCTYPE html>") and run.report(tmp_path / "r.html") == tmp_path / "r.html"
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page
    assert run.report(truth=asia) != page
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert Path(run.open()).read_text(encoding="utf-8") == page and opened[0].startswith("file://")


def test_what_run_json_says_is_there(run):
    assert run.seed == 1 and run.rows == 1500 and run.truth is None and run.params["seed"] == 1
    assert isinstance(run.warnings, list) and "score" in dir(run)
    with pytest.raises(AttributeError, match="a run has no 'nothing'"):
        run.nothing
    assert repr(run).startswith("Run of asia: 1,500 rows, 8 nodes")


def test_targets_and_folds(rows):
    run = cl.learn(rows, target="bronc", folds=3, rounds=1)
    assert run.evaluations[0]["target"] == "bronc" and run.predictions[0]["target"] == "bronc"
    assert run.network.prediction(rows).document["target"] == "bronc"


def test_evaluations_are_the_command_lines(rows, command, tmp_path):
    table = tmp_path / "t.csv"
    rows.to_pandas().to_csv(table, index=False)
    said = command("evaluate", table, "--target", "bronc", "--folds", 3, "--rounds", 1, "--json", "--quiet")
    found = cl.evaluate(table, "bronc", folds=3, rounds=1)
    assert found.document == said and found.winner == said["targets"][0]["winner"]
    assert found.figures["by"] == ["baseline", "network", "machines", "both", "chosen"]
    assert "log-loss" in repr(found)


def test_inspections_and_strengths_are_the_command_lines(rows, command, tmp_path):
    table = tmp_path / "t.csv"
    frame = rows.to_pandas()
    frame["age"] = [k % 83 for k in range(len(frame))]
    frame.to_csv(table, index=False)
    said = command("inspect", table, "--json", "--bins", 3)
    found = cl.inspect(table, bins=3).document
    assert {key: found[key] for key in said} == said
    said = command("strengths", table, "--json", "--rounds", 1, "--quiet")
    found = cl.strengths(table, rounds=1)
    assert found["target"] == [t["name"] for t in said["targets"] for _ in t["features"]]
    assert found["strength"] == [f["strength"] for t in said["targets"] for f in t["features"]]


def test_demo_is_the_command_lines(command, tmp_path):
    command("demo", "asia", "--rows", 500, "--profile", "hybrid", "--run", tmp_path / "demo", "--quiet")
    run = cl.demo("asia", rows=500)
    assert run.network.to_bytes() == (tmp_path / "demo" / "network.json").read_bytes()
    assert run.truth["shd"] == cl.read(tmp_path / "demo").truth["shd"]
    with pytest.raises(cl.InputError, match="^rows is 3; it must be between 20 and 100000000"):
        cl.demo("asia", rows=3)


def test_runs_with_targets_are_equal_after_pickling_and_reading(rows, tmp_path):
    run = cl.learn(rows, target="lung", rounds=1)
    assert pickle.loads(pickle.dumps(run)) == run
    assert cl.read(run.save(tmp_path / "run")) == run
    assert run != cl.learn(rows, target="bronc", rounds=1)


def test_machines_do_not_answer_for_a_network_that_was_changed(rows):
    network = cl.learn(rows, target="lung", rounds=1).network
    changed = network.do(lung="no")
    assert changed.prediction(rows, "lung").by == "network"
    assert set(changed.predict(rows)) == {"no"} == set(pickle.loads(pickle.dumps(changed)).predict(rows))
    with pytest.raises(cl.InputError, match="machines"):
        changed.predict(rows, "lung", by="machines")
