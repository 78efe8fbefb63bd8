#!/usr/bin/env python3
"""The Python package against the command line and beside pgmpy and pyAgrum; see README.md and run.sh.

Every measurement is a process of its own: this file again, with the name of a task. A task prints one JSON object.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROUNDS = 5
ROWS = 1_000_000
NETWORK = "insurance"


# What a process measures of itself


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def memory(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise OSError(field)


#: The frames that are handed over: numbers in NumPy's memory with texts as pandas likes them and as objects, all in Arrow's memory, and others'.
KINDS = ("pandas", "pandas objects", "pandas arrow", "polars", "pyarrow")


def frame_of(kind: str, path: str):
    if kind.startswith("pandas"):
        import pandas

        if kind == "pandas arrow":
            return pandas.read_csv(path, dtype_backend="pyarrow")
        frame = pandas.read_csv(path)
        texts = frame.select_dtypes(exclude="number").columns if kind == "pandas objects" else []
        return frame.astype(dict.fromkeys(texts, object))
    import polars

    frame = polars.read_csv(path, infer_schema_length=100_000)
    return frame if kind == "polars" else frame.to_arrow()


def handover(kind: str, path: str) -> dict:
    import clausality as cl

    frame = frame_of(kind, path)
    cl.inspect({"a": [0, 1] * 50, "b": [1, 0] * 50})  # what is loaded at the first call is no part of it
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what reading the file left free must not be taken for nothing
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    start = cpu()
    found = cl.inspect(frame, threads=1)
    seconds = cpu() - start
    return {"cpu": seconds, "extra": memory("VmHWM") - before, "coded": ROWS * found.variables}


def call(path: str) -> dict:
    """What a call takes beside the work: of a few rows, where there is next to none, and of 1,000 rows over the same rows in a file."""
    import pandas

    import clausality as cl

    network = cl.load(NETWORK)
    frame = network.sample(1000, seed=1, frame="pandas")
    frame.to_csv(path, index=False)
    few = pandas.DataFrame({"a": [0, 1] * 10, "b": [1, 0, 0, 1] * 5})
    warnings.simplefilter("ignore")

    def quickest(*tasks) -> list[float]:
        found: list[list[float]] = [[] for _ in tasks]
        for _ in range(ROUNDS * 4):
            for task, each in zip(tasks, found):
                start = time.perf_counter()
                task()
                each.append(time.perf_counter() - start)
        return [statistics.median(each) for each in found]

    [empty, query] = quickest(lambda: cl.inspect(few), lambda: network.query("Accident", given={"Age": "Adult"}))
    [predict, predict_file] = quickest(
        lambda: network.predict_proba(frame, "Accident", threads=1), lambda: network.predict_proba(path, "Accident", threads=1)
    )
    [inspect, inspect_file] = quickest(lambda: cl.inspect(frame, threads=1), lambda: cl.inspect(path, threads=1))
    [learn, learn_file] = quickest(
        lambda: cl.learn(frame, threads=1, progress=False), lambda: cl.learn(path, threads=1, progress=False)
    )
    return {
        "inspect of 20 rows": empty,
        "query": query,
        "predict_proba of 1,000 rows": predict,
        "of it over those of a file": predict - predict_file,
        "inspect of 1,000 rows": inspect,
        "of them over a file": inspect - inspect_file,
        "learn from 1,000 rows": learn,
        "of it over a file": learn - learn_file,
    }


def predict(path: str, model: str) -> dict:
    import pandas

    import clausality as cl

    frame = pandas.read_csv(path, dtype="category", keep_default_na=False)
    network = cl.read(model)
    start, began = cpu(), time.perf_counter()
    network.predict_proba(frame, "Accident", threads=1)
    return {"cpu": cpu() - start, "seconds": time.perf_counter() - began}


def endless(path: str) -> None:
    """Learns until it is stopped, and says when it begins and when it ended."""
    import clausality as cl

    print(time.time(), flush=True)
    try:
        while True:
            cl.learn(path, bootstrap=500, progress=False)
    except KeyboardInterrupt:
        print(time.time(), flush=True)


# The peers, each as its documentation does it


def peer(name: str, task: str, rows: str, many: str) -> dict:
    import pandas

    warnings.simplefilter("ignore")
    frame = pandas.read_csv(rows, dtype=str, keep_default_na=False)
    asked = pandas.read_csv(many, dtype=str, keep_default_na=False)
    target = "Accident"
    questions = [evidence(asked, row) for row in range(1000)]
    told: dict = {}
    if name == "clausality":
        import clausality as cl

        start = cpu()
        if task == "learn":
            told["arcs"] = len(cl.learn(frame, threads=1, progress=False).network.arcs)
            return {"seconds": cpu() - start, **told}
        truth = cl.load(NETWORK)
        start = cpu()
        network = cl.fit(truth, frame, threads=1)
        if task == "fit":
            return {"seconds": cpu() - start}
        start = cpu()
        if task == "queries":
            for given in questions:
                network.query(target, given=given)
        else:
            network.predict(asked.drop(columns=target), target, threads=1)
    elif name == "pyagrum":
        import pyagrum as gum

        gum.setNumberOfThreads(1)
        start = cpu()
        if task == "learn":
            learner = gum.BNLearner(frame)
            learner.useMIIC()
            arcs = learner.learnBN().sizeArcs()
            return {"seconds": cpu() - start, "arcs": arcs, "how": "MIIC"}
        truth = gum.loadBN(str(Path(rows).with_name("truth.bif")))
        start = cpu()
        learner = gum.BNLearner(frame, truth)
        learner.useSmoothingPrior()
        network = learner.learnParameters(truth.dag())
        if task == "fit":
            return {"seconds": cpu() - start}
        engine = gum.LazyPropagation(network)
        start = cpu()
        if task == "queries":
            for given in questions:
                engine.setEvidence(given)
                engine.makeInference()
                engine.posterior(target)
        else:
            # Its own classifier predicts rows by the Markov blanket.
            from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
            from pyagrum.skbn import BNClassifier

            classifier = BNClassifier(type_processor=DiscreteTypeProcessor())
            classifier.fromTrainedModel(network, target)
            start = cpu()
            classifier.predict(asked)
    else:
        from pgmpy.estimators import HillClimbSearch
        from pgmpy.inference import VariableElimination
        from pgmpy.models import DiscreteBayesianNetwork
        from pgmpy.parameter_estimator import DiscreteBayesianEstimator
        from pgmpy.readwrite import BIFReader

        start = cpu()
        if task == "learn":
            found = HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False)
            return {"seconds": cpu() - start, "arcs": len(found.edges()), "how": "hill climbing, BIC"}
        truth = BIFReader(str(Path(rows).with_name("truth.bif"))).get_model()
        network = DiscreteBayesianNetwork(truth.edges())
        start = cpu()
        network = network.fit(frame, estimator=DiscreteBayesianEstimator())
        if task == "fit":
            return {"seconds": cpu() - start}
        engine = VariableElimination(network)
        if task == "queries":
            count = 100
            start = cpu()
            for given in questions[:count]:
                engine.query([target], evidence=given, show_progress=False)
        else:
            count = 1000
            asked = asked[list(network.nodes())].iloc[:count]
            start = cpu()
            network.predict(asked.drop(columns=target), n_jobs=1)
        told["measured"] = count
        scale = (1000 if task == "queries" else 100_000) / count
        return {"seconds": (cpu() - start) * scale, **told}
    return {"seconds": cpu() - start, **told}


def evidence(asked, row: int) -> dict[str, str]:
    """Three cells of a row: which ones changes from row to row."""
    columns = [name for name in asked.columns if name != "Accident"]
    chosen = [columns[(row * 7 + k * 11) % len(columns)] for k in range(3)]
    return {name: asked[name].iat[row] for name in dict.fromkeys(chosen)}


# The whole of it


def child(*arguments: object) -> dict:
    done = subprocess.run([sys.executable, __file__, "--task", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:] or ["?"]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def timed(command: list[object]) -> dict:
    """CPU and wall-clock seconds and the peak of a process."""
    start = time.perf_counter()
    process = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, command
    return {"cpu": used.ru_utime + used.ru_stime, "seconds": time.perf_counter() - start, "peak": used.ru_maxrss * 1024}


def median(found: list[dict]) -> dict:
    return {key: statistics.median(one[key] for one in found) for key in found[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program")
    parser.add_argument("--out")
    parser.add_argument("--commit", default="")
    parser.add_argument("--only", default="import,handover,call,predict,stop,peers")
    parser.add_argument("--task", nargs="+", help="of a child process")
    given = parser.parse_args()
    if given.task:
        name, *arguments = given.task
        found = globals()[name](*arguments)
        print(json.dumps(found))
        return
    only = given.only.split(",")
    found: dict = {"commit": given.commit, "date": time.strftime("%F"), "machine": platform.processor() or platform.machine()}
    found["machine"] = next(
        (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), found["machine"]
    )
    found["python"] = platform.python_version()
    with tempfile.TemporaryDirectory() as folder:
        if "import" in only:
            python = [sys.executable, "-c"]
            own = [timed([*python, "import clausality"]) for _ in range(ROUNDS * 2)]
            none = [timed([*python, "pass"]) for _ in range(ROUNDS * 2)]
            found["import"] = {"seconds": median(own)["seconds"] - median(none)["seconds"]}
        table = Path(folder, "table.csv")
        if {"handover"} & {*only}:
            subprocess.run([sys.executable, HERE.parent / "data" / "make_table.py", table, str(ROWS)], check=True)
            found["handover"] = {}
            for _ in range(3):
                runs = found["handover"]
                runs.setdefault("command line", []).append(timed([given.program, "inspect", table, "--threads", 1]))
                for kind in KINDS:
                    runs.setdefault(kind, []).append(child("handover", kind, table))
            found["handover"] = {name: median(each) for name, each in found["handover"].items()}
            own = found["handover"]["command line"]["cpu"]
            for kind in KINDS:
                one = found["handover"][kind]
                one["times the command line"] = one["cpu"] / own
                one["times the coded table"] = one["extra"] / one["coded"]
            table.unlink()
        if "call" in only:
            found["call"] = child("call", Path(folder, "call.csv"))
        rows, many = Path(folder, "rows.csv"), Path(folder, "many.csv")
        subprocess.run([given.program, "sample", "@" + NETWORK, "-n", "5000", "--seed", "1", "-o", rows, "-q"], check=True)
        if "predict" in only:
            subprocess.run([given.program, "sample", "@" + NETWORK, "-n", str(ROWS), "-o", many, "-q"], check=True)
            model = Path(folder, "model.json")
            subprocess.run([given.program, "learn", rows, "-o", model, "-q"], check=True, stdout=subprocess.DEVNULL)
            command = [given.program, "predict", model, many, "--target", "Accident", "-o", Path(folder, "p.csv")]
            ours = [child("predict", many, model) for _ in range(3)]
            theirs = [timed([*command, "--threads", 1]) for _ in range(3)]
            found["predict"] = {"python": median(ours), "command line": median(theirs)}
        if "stop" in only:
            waits = []
            for k in range(8):
                process = subprocess.Popen([sys.executable, __file__, "--task", "endless", rows], stdout=subprocess.PIPE, text=True)
                process.stdout.readline()
                time.sleep(0.5 + 0.7 * k)
                sent = time.time()
                process.send_signal(signal.SIGINT)
                waits.append(float(process.stdout.readline()) - sent)
                process.wait()
            found["stop"] = {"seconds": sorted(waits)}
        if "peers" in only:
            subprocess.run([given.program, "sample", "@" + NETWORK, "-n", "100000", "--seed", "2", "-o", many, "-q"], check=True)
            subprocess.run([given.program, "convert", "@" + NETWORK, "-o", Path(folder, "truth.bif"), "-q"], check=True)
            found["peers"] = {
                task: {name: child("peer", name, task, rows, many) for name in ("clausality", "pyagrum", "pgmpy")}
                for task in ("learn", "fit", "queries", "predict")
            }
    text = json.dumps(found, indent=1)
    print(text)
    if given.out:
        Path(given.out).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
