"""Trains another implementation on one problem and prints one JSON line for every seed.

    peers.py --impl green-uniform --data NAME.npz --clauses 144 --T 10 --s 9.8 --max-lit 55 --epochs 20 --seeds 1,2,3

Same keys and same rules as the Rust example `problem`: an epoch is timed with the CPU clock of the process, evaluation is
not timed, the rate is that of the fastest epoch after the first. One thread; whoever calls pins the core. Clause length counts
the included literals of both polarities over all clauses, empty ones too.
"""
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import time
from pathlib import Path

import numpy as np


class Epochs:
    """What is noted of every epoch."""

    def __init__(self):
        self.cpu, self.wall, self.accuracy, self.lengths = [], [], [], []

    def timed(self, train):
        wall, cpu = time.perf_counter(), time.process_time()
        result = train()
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)
        return result

    def evaluated(self, accuracy, lengths):
        self.accuracy.append(float(accuracy))
        self.lengths.append(np.asarray(lengths))


def train_tmu(problem, options, seed):
    from tmu.models.classification.coalesced_classifier import TMCoalescedClassifier

    epochs = Epochs()
    machine = TMCoalescedClassifier(
        number_of_clauses=options.clauses,
        T=options.T,
        s=options.s,
        max_included_literals=options.max_lit or None,
        boost_true_positive_feedback=1,
        focused_negative_sampling=options.impl == "tmu-focused",
        seed=seed,
    )
    x_train, x_test = problem["x_train"].astype(np.uint32), problem["x_test"].astype(np.uint32)
    for _ in range(options.epochs):
        epochs.timed(lambda: machine.fit(x_train, problem["y_train"]))
        lengths = [machine.number_of_include_actions(clause) for clause in range(options.clauses)]
        epochs.evaluated(np.mean(machine.predict(x_test) == problem["y_test"]), lengths)
    return epochs


def train_green(problem, options, seed):
    import green_tsetlin
    import green_tsetlin_core as core

    if "avx2" in Path("/proc/cpuinfo").read_text() and not core.has_avx2():
        raise SystemExit("error: green-tsetlin was built without AVX2 on a processor that has it: the comparison would flatter us")
    epochs = Epochs()

    class Executor(core.SingleThreadExecutor):
        def train_epoch(self):
            return epochs.timed(super().train_epoch)

    machine = green_tsetlin.TsetlinMachine(
        n_literals=problem["x_train"].shape[1],
        n_clauses=options.clauses,
        n_classes=int(problem["y_train"].max()) + 1,
        s=options.s,
        threshold=options.T,
        literal_budget=options.max_lit or None,
        boost_true_positives=True,
    )

    def after_epoch(_epoch, _train_accuracy, accuracy):
        states = machine._load_state_from_backend(only_return_copy=True).c
        epochs.evaluated(accuracy, (states >= 0).sum(axis=1))

    trainer = green_tsetlin.Trainer(
        machine,
        seed=seed,
        n_jobs=1,
        n_epochs=options.epochs,
        early_exit_acc=2.0,  # never
        load_best_state=False,
        progress_bar=False,
        fn_epoch_callback=after_epoch,
        feedback_type="uniform" if options.impl == "green-uniform" else "focused_negative_sampling",
    )
    trainer._cls_exec_singlethread = Executor
    trainer.set_train_data(problem["x_train"], problem["y_train"])
    trainer.set_eval_data(problem["x_test"], problem["y_test"])
    trainer.train()
    return epochs


IMPLEMENTATIONS = {
    "tmu": train_tmu,
    "tmu-focused": train_tmu,
    "green-uniform": train_green,
    "green-focused": train_green,
}


def line(problem, options, seed, epochs):
    rows, bits = problem["x_train"].shape
    best = min(epochs.cpu[1:])
    return dict(
        impl=options.impl,
        tag=options.tag,
        data=options.data.name,
        clauses=options.clauses,
        T=options.T,
        s=options.s,
        max_lit=options.max_lit,
        negatives="focused" if options.impl.endswith("focused") else "uniform",
        bits=bits,
        classes=int(problem["y_train"].max()) + 1,
        epochs=options.epochs,
        seed=seed,
        n=rows,
        clock="process cpu",
        best_rate=round(rows / best),
        mean_rate=round(rows * len(epochs.cpu) / sum(epochs.cpu)),
        epoch_s_best=best,
        total_cpu_s=sum(epochs.cpu),
        total_wall_s=sum(epochs.wall),
        acc_last=epochs.accuracy[-1],
        acc_best=max(epochs.accuracy),
        acc_mean5=float(np.mean(epochs.accuracy[-5:])),
        lits=[float(epochs.lengths[-1].mean()), int(epochs.lengths[-1].max())],
        lits_mean5=float(np.mean([lengths.mean() for lengths in epochs.lengths[-5:]])),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--impl", choices=IMPLEMENTATIONS, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--clauses", type=int, required=True)
    parser.add_argument("--T", type=int, required=True)
    parser.add_argument("--s", type=float, required=True)
    parser.add_argument("--max-lit", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seeds", default="42")
    parser.add_argument("--tag", default="")
    options = parser.parse_args()
    if options.epochs < 2:
        parser.error("--epochs must be at least 2: the first is not counted")
    problem = dict(np.load(options.data))
    for seed in map(int, options.seeds.split(",")):
        epochs = IMPLEMENTATIONS[options.impl](problem, options, seed)
        print(json.dumps(line(problem, options, seed, epochs)), flush=True)


if __name__ == "__main__":
    main()
