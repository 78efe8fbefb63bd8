"""Tables with more rows than are held: the same bytes from one file or many, of any format, whoever counts them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pandas as pd
import pytest

import clausality as cl
from clausality import _clausality as core
from clausality import _engines

FILES = ["network.json", "network.bif", "edges.csv", "strengths.csv", "clauses.json"]
ROWS = 9000
HOW = dict(rows_held=1000, rounds=1, seed=3)
#: Where each of the files ends.
ENDS = [1, 2000, 2500, 6000, ROWS]


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    frame = cl.load("asia").sample(ROWS, seed=2, frame="pandas").astype(str)
    frame["size"] = [f"{row * 37 % 1000 / 8}" for row in range(ROWS)]
    # Met once, in the last row.
    frame.loc[ROWS - 1, "smoke"] = "hardly ever"
    return frame


@pytest.fixture(scope="module")
def tables(rows, tmp_path_factory) -> dict[str, object]:
    """The same rows in one file and in several."""
    folder = tmp_path_factory.mktemp("tables")
    typed = rows.assign(size=rows["size"].astype(float))
    rows.to_csv(folder / "one.csv", index=False)
    typed.to_parquet(folder / "one.parquet", index=False)
    for k, (start, end) in enumerate(zip([0, *ENDS], ENDS)):
        for ending in ("csv", "parquet"):
            (folder / ending).mkdir(exist_ok=True)
        rows[start:end].to_csv(folder / "csv" / f"part-{k}.csv", index=False)
        typed[start:end].to_parquet(folder / "parquet" / f"part-{k}.parquet", index=False)
    listed = sorted((folder / "parquet").iterdir())
    return {
        "one CSV": folder / "one.csv",
        "one Parquet": folder / "one.parquet",
        "a folder": folder / "csv",
        "a pattern": f"{folder}/parquet/part-*.parquet",
        "a list": listed,
        "texts": [str(path) for path in listed],
    }


def sha(folder: Path) -> str:
    """Of all that a run leaves behind but how long it took and what the table was called."""
    content = b"".join((folder / name).read_bytes() for name in FILES)
    run = json.loads((folder / "run.json").read_text())
    for name in ("seconds", "table"):
        run.pop(name)
    return hashlib.sha256(content + json.dumps(run).encode()).hexdigest()


@pytest.fixture(scope="module")
def here(tables, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("here")
    cl.learn(tables["one CSV"], run=folder / "run", name="rows", threads=1, **HOW)
    return sha(folder / "run")


@pytest.mark.parametrize("kind", ["one Parquet", "a folder", "a pattern", "a list", "texts"])
def test_wherever_the_rows_lie(kind, tables, here, tmp_path):
    found = cl.learn(tables[kind], run=tmp_path / "run", name="rows", **HOW)
    assert sha(tmp_path / "run") == here
    assert any(f"counted on all {ROWS:,} rows" in told for told in found.warnings)
    assert sum(state["rows"] for state in found.document["columns"][2]["variables"][0]["states"]) == ROWS


def test_a_list_of_paths_has_a_name_and_its_order(tables, tmp_path):
    listed = tables["a list"]
    found = cl.learn(listed, rounds=1)
    assert found.document["table"] == f"{listed[0]} and {len(listed) - 1} more"
    turned = cl.learn(listed[::-1], rounds=1)
    assert turned.document["fingerprint"] != found.document["fingerprint"]
    with pytest.raises((OSError, cl.InputError), match="gone.parquet"):
        cl.learn([*listed, tmp_path / "gone.parquet"], rounds=1)


class Near(_engines.Dask):
    """Workers that are this process, one after the other; some are lost."""

    class Future:
        def __init__(self, what, *arguments):
            self.make = lambda: what(*[one.result() if isinstance(one, Near.Future) else one for one in arguments])
            self.lost = True

        def result(self, timeout=None):
            if self.lost:
                self.made, self.lost = self.make(), False
            return self.made

    def __init__(self, workers: int, lose: int = 0):
        super().__init__(self)
        self.workers, self.lose, self.asked, self.looked = workers, lose, 0, 0

    def nthreads(self):
        return {f"worker {k}": 1 for k in range(self.workers)}

    def submit(self, what, *arguments, **how):
        return Near.Future(what, *arguments)

    def cancel(self, futures):
        pass

    def look(self, recipe, lengths):
        self.looked += 1
        return super().look(recipe, lengths)

    def ask(self, recipe, lengths, question):
        self.asked += 1
        if self.asked == self.lose:
            for part, _ in self._parts:
                part.lost = True
        return super().ask(recipe, lengths, question)


@pytest.mark.parametrize("workers, lose", [(1, 0), (2, 2), (4, 3), (9, 0)])
def test_whoever_counts(workers, lose, tables, here, tmp_path, monkeypatch):
    near = Near(workers, lose)
    monkeypatch.setattr("clausality._learning._engine", lambda *_: near)
    cl.learn(tables["a folder"], run=tmp_path / "run", name="rows", **HOW)
    assert sha(tmp_path / "run") == here
    assert min(workers, 3) <= len(near._parts) <= min(workers, len(ENDS)) and max(lose, 2) <= near.asked < 20
    assert near.looked == 2, "rows are counted, then drawn"


def test_files_that_change_under_a_part_that_is_lost(tables, tmp_path, monkeypatch):
    folder = tmp_path / "parts"
    folder.mkdir()
    for path in tables["a list"]:
        (folder / path.name).write_bytes(path.read_bytes())

    class Changed(Near):
        def ask(self, recipe, lengths, question):
            if self.asked == self.lose - 1:
                (folder / "part-1.parquet").write_bytes((folder / "part-2.parquet").read_bytes())
            return super().ask(recipe, lengths, question)

    monkeypatch.setattr("clausality._learning._engine", lambda *_: Changed(2, lose=3))
    with pytest.raises(OSError, match="the files of the table changed while their rows were counted"):
        cl.learn(folder, run=tmp_path / "run", **HOW)
    assert not (tmp_path / "run").exists()


def test_an_engine_that_answers_something_else(tables, monkeypatch):
    for said in ("", "{}", 7, None):
        near = Near(1)
        monkeypatch.setattr(near, "ask", lambda *_, said=said: said)
        monkeypatch.setattr("clausality._learning._engine", lambda *_, near=near: near)
        with pytest.raises((TypeError, OSError)):
            cl.learn(tables["a folder"], **HOW)
    with pytest.raises(OSError, match="work done elsewhere cannot be used"):
        core.Part("{}", 0, 1)
    with pytest.raises(OSError, match="nobody answered"):
        core.together([])
    for seen in ([], [b"[1]"], [b"{}"], [b"[1, 1, 1, 1, 1]"], [7], 7):
        near = Near(1)
        monkeypatch.setattr(near, "look", lambda *_, seen=seen: seen)
        monkeypatch.setattr("clausality._learning._engine", lambda *_, near=near: near)
        if seen == [b"[1, 1, 1, 1, 1]"]:
            # So few rows are read where we are.
            cl.learn(tables["a folder"], **HOW)
            continue
        with pytest.raises((TypeError, OSError)):
            cl.learn(tables["a folder"], **HOW)
    with pytest.raises(OSError, match="work done elsewhere cannot be used"):
        core.look("{}", 0, 1)


DASK = """
    import os, signal, sys, threading, time
    import dask
    import clausality as cl
    from distributed import Client, LocalCluster
    from distributed.security import Security

    def kill_in_the_middle(client, process):
        # As soon as rows were coded, which is before they are counted.
        while not any("Rows" in key for keys in client.has_what().values() for key in keys):
            time.sleep(0.001)
        os.kill(process, signal.SIGKILL)
        print("killed", flush=True)

    if __name__ == "__main__":
        table, workers, run, how, through = sys.argv[1], int(sys.argv[2]), sys.argv[3], eval(sys.argv[4]), sys.argv[5]
        local = dict(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, security=Security.temporary())
        with LocalCluster(**local) as cluster, Client(cluster, security=cluster.security) as client:
            if through == "kill":
                threading.Thread(target=kill_in_the_middle, args=[client, min(client.run(os.getpid).values())], daemon=True).start()
            if through == "adaptive":
                cluster.adapt(minimum=0, maximum=2)
            if through == "frame":
                import dask.dataframe
                dask.config.set({"temporary-directory": run + "-parts"})
                os.mkdir(run + "-parts")
                table = dask.dataframe.read_csv(table + "/part-*.csv", dtype={"size": float})
            cl.learn(table, run=run, name="rows", client=client, **how)
            if through == "frame":
                del table
                print(os.listdir(run + "-parts"), flush=True)
"""


def with_dask(table, workers, folder, through="files") -> str:
    """Learns with a cluster on this machine; gives what was printed."""
    pytest.importorskip("cryptography")
    pytest.importorskip("distributed")
    (folder / "main.py").write_text(textwrap.dedent(DASK))
    command = [sys.executable, folder / "main.py", table, workers, folder / "run", HOW, through]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_workers_of_dask_count_their_files(workers, tables, here, tmp_path):
    with_dask(tables["a folder"], workers, tmp_path)
    assert sha(tmp_path / "run") == here


def test_a_frame_of_dask(tables, here, tmp_path):
    pytest.importorskip("dask.dataframe")
    assert with_dask(tables["a folder"], 2, tmp_path, "frame") == "[]\n", "its files are gone"
    assert sha(tmp_path / "run") == here


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no signals that kill")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_is_killed_loses_nothing(workers, tables, here, tmp_path):
    """Of one worker all that it had is gone, and only one that comes later can make it again."""
    assert with_dask(tables["a folder"], workers, tmp_path, "kill") == "killed\n"
    assert sha(tmp_path / "run") == here


def test_a_cluster_that_has_no_workers_yet_is_waited_for(tables, here, tmp_path):
    with_dask(tables["a folder"], 0, tmp_path, "adaptive")
    assert sha(tmp_path / "run") == here
