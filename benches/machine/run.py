"""The machine benchmark: our Tsetlin machine, tmu and green-tsetlin on the same problems, on one pinned core, in one run.

Start it with run.sh. It makes a virtual environment and the problems in the build folder, builds the Rust example
`problem`, runs everything and writes machine-DATE-COMMIT.jsonl (every single run) and .md (the summary, also printed).

  speed  every implementation in turn, again and again; the best run of each counts
  study  accuracy and clause length over many seeds, since one seed says little
"""
import argparse
import datetime
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import summary

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GREEN, TMU, PATHS = "green-uniform", "tmu", ("avx512", "avx2", "portable")


@dataclass(frozen=True)
class Problem:
    group: str  # what --problems selects
    data: str
    clauses: int
    threshold: int
    specificity: float
    budget: int = 0  # 0: none
    tmu_epochs: int = 0  # where tmu would take an hour; 0: as all others

    @property
    def name(self):
        return f"{self.group} {self.data}" if self.group != self.data else self.group

    def flags(self, folder, suffix, epochs):
        words = ["--data", folder / f"{self.data}{suffix}", "--clauses", self.clauses, "--T", self.threshold]
        return words + ["--s", self.specificity, "--max-lit", self.budget, "--epochs", epochs]


# DrivQuality has 86 bits and Accident 85: A is bits + 58 clauses, B is bits + 23.
PROBLEMS = [
    Problem("A", "DrivQuality", 86 + 58, 10, 9.8, 55),
    Problem("A", "Accident", 85 + 58, 10, 9.8, 55),
    Problem("B", "DrivQuality", 86 + 23, 30, 6.7, 7),
    Problem("B", "Accident", 85 + 23, 30, 6.7, 7),
    Problem("wide", "wide", 1000, 100, 10.0, tmu_epochs=3),
    Problem("digits", "digits", 500, 50, 10.0),
]


def options():
    parser = argparse.ArgumentParser(
        prog="run.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", default="A,B,wide,digits", help="which problems (default: %(default)s)")
    parser.add_argument("--parts", default="speed,study", help="which parts (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="speed runs of each implementation (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=20, help="epochs of a run (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=100, help="seeds of the study, ours and green (default: %(default)s)")
    parser.add_argument("--tmu-seeds", type=int, default=20, help="seeds of the study, tmu (default: %(default)s)")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="core to pin to (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="folder for the results (default: benches/results; with --quick the build folder)")
    parser.add_argument("--quick", action="store_true", help="a look in about ten minutes, not for the record")
    parser.add_argument("--check", action="store_true", help="exit 1 if a requirement is missed")
    chosen = parser.parse_args()
    if chosen.quick:
        # As many epochs as ever: the first ones, with long clauses, say little about the rest.
        chosen.runs, chosen.seeds, chosen.tmu_seeds = 1, 6, 2
    chosen.problems, chosen.parts = chosen.problems.split(","), chosen.parts.split(",")
    for what, asked, known in [
        ("problem", chosen.problems, {p.group for p in PROBLEMS}),
        ("part", chosen.parts, {"speed", "study"}),
    ]:
        for word in set(asked) - known:
            parser.error(f"unknown {what} '{word}': expected {', '.join(sorted(known))}")
    if chosen.core not in os.sched_getaffinity(0):
        parser.error(f"core {chosen.core} is not one of {sorted(os.sched_getaffinity(0))}")
    if not shutil.which("taskset"):
        parser.error("taskset (util-linux) is needed to pin a core")
    return chosen


def say(text):
    print(text, file=sys.stderr, flush=True)


def output(*command, cwd=ROOT):
    """What a command prints; its complaints are shown only if it fails."""
    command = [str(word) for word in command]
    done = subprocess.run(command, cwd=cwd, text=True, capture_output=True)
    if done.returncode != 0:
        say(done.stdout[-4000:] + done.stderr[-4000:])
        raise SystemExit(f"error: {' '.join(command)} ended with {done.returncode}")
    return done.stdout


def target_folder():
    metadata = json.loads(output("cargo", "metadata", "--no-deps", "--format-version", "1"))
    return Path(metadata["target_directory"])


def make_environment(work):
    """A virtual environment with the peers; made again when the requirements or the Python change."""
    requirements = HERE / "requirements.txt"
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    folder, stamp = work / "venv", work / "venv" / "requirements.sha256"
    python = folder / "bin" / "python"
    if not stamp.exists() or stamp.read_text() != wanted:
        if not (shutil.which("c++") or shutil.which("g++")):
            raise SystemExit("error: green-tsetlin is built from source: a C++ compiler (g++) is needed")
        say(f"making a virtual environment: {', '.join(pinned(requirements))} ...")
        venv.create(folder, clear=True, with_pip=True)
        output(python, "-m", "pip", "install", "--quiet", "--requirement", requirements)
        stamp.write_text(wanted)
    return python


def pinned(requirements):
    return [line for line in requirements.read_text().splitlines() if "==" in line]


def make_problems(work, python, problems):
    """Problem files from the embedded networks; held against the independent generator where that is at hand."""
    folder = work / "problems"
    names = sorted({p.data for p in problems})
    say(output(python, HERE / "problems.py", "--networks", ROOT / "crates/clausality/networks", "--out", folder, "--only", ",".join(names)).rstrip())
    shared = Path(os.environ.get("CLAUSALITY_SHARED", ROOT.parent / "shared"))
    generator = shared / "tools" / "make_data.py"
    if not generator.exists():
        say("skipped: the independent generator of the problems is not here, so their bytes are not compared")
        return folder
    for name in names:
        verify(work, python, shared, generator, name, folder / f"{name}.bin")
    say("the problems are the same bytes as those of the independent generator")
    return folder


def verify(work, python, shared, generator, name, ours):
    import gzip

    theirs = work / "independent" / f"{name}.npz"
    theirs.parent.mkdir(exist_ok=True)
    source = {"digits": None, "wide": ("diabetes", "bg_12")}.get(name, ("insurance", name))
    if source is None:
        flags = ["--digits"]
    else:
        bif = theirs.parent / f"{source[0]}.bif"
        bif.write_bytes(gzip.decompress((shared / "networks" / f"{source[0]}.bif.gz").read_bytes()))
        flags = ["--bif", bif, "--target", source[1]]
    output(python, generator, *flags, "--out", theirs)
    if theirs.with_suffix(".bin").read_bytes() != ours.read_bytes():
        raise SystemExit(f"error: {ours} differs from what {generator} makes")


def build_example(work, target):
    say("building the Rust example (release) ...")
    output("cargo", "build", "--release", "--package", "clausality-tm", "--example", "problem")
    # A copy, so that a build in the meantime cannot change what is measured.
    return Path(shutil.copy2(target / "release/examples/problem", work / "problem"))


class Bench:
    """Runs implementations on the pinned core and keeps every line they print."""

    def __init__(self, chosen, work, python, example, folder, raw):
        self.chosen, self.work, self.python, self.example, self.folder, self.raw = chosen, work, python, example, folder, raw
        self.records = []

    def keep(self, record):
        self.records.append(record)
        with open(self.raw, "a") as file:
            file.write(json.dumps(record) + "\n")

    def run(self, kind, problem, implementation, seeds, **more):
        """One line for every seed."""
        epochs = self.chosen.epochs
        if implementation in (GREEN, TMU):
            if implementation == TMU and problem.tmu_epochs:
                epochs = min(epochs, problem.tmu_epochs)
            flags = problem.flags(self.folder, ".npz", epochs)
            commands = [[self.python, HERE / "peers.py", "--impl", implementation, *flags, "--seeds", ",".join(map(str, seeds))]]
        else:
            flags = problem.flags(self.folder, ".bin", epochs)
            commands = [[self.example, *flags, "--path", implementation, "--seed", seed] for seed in seeds]
        for command in commands:
            for line in output("taskset", "-c", self.chosen.core, *command, cwd=self.work).splitlines():
                if line.startswith("{"):  # tmu logs there too
                    self.keep({"kind": kind, "problem": problem.name, **more, **json.loads(line)})

    def speed(self, problems, paths):
        """All implementations in turn in every round, so that a change of the machine's mood meets them all."""
        for round_ in range(1, self.chosen.runs + 1):
            for problem in problems:
                say(f"speed, run {round_} of {self.chosen.runs}: {problem.name}")
                for implementation in (GREEN, *paths, TMU):
                    if implementation == TMU and problem.tmu_epochs and round_ > 1:
                        continue  # one slow look is enough
                    self.run("speed", problem, implementation, [42], round=round_)

    def study(self, problems, path):
        """The paths give the same bits, so one of them speaks for all."""
        for problem in problems:
            for first in range(1, self.chosen.seeds + 1, 10):
                seeds = range(first, min(first + 10, self.chosen.seeds + 1))
                say(f"study: {problem.name}, seeds {seeds[0]} to {seeds[-1]} of {self.chosen.seeds}")
                self.run("study", problem, GREEN, seeds)
                self.run("study", problem, path, seeds)
            for seed in range(1, self.chosen.tmu_seeds + 1):
                say(f"study: {problem.name}, tmu seed {seed} of {self.chosen.tmu_seeds}")
                self.run("study", problem, TMU, [seed])


def available_paths(example, folder, problem):
    """The paths that this processor can run."""
    paths = []
    for path in PATHS:
        words = [example, *problem.flags(folder, ".bin", 2), "--path", path]
        if subprocess.run([str(word) for word in words], capture_output=True).returncode == 0:
            paths.append(path)
        else:
            say(f"skipped: this processor has no {path}")
    return paths


def commit():
    """The commit, marked if the machine's sources differ from it."""
    name = output("git", "rev-parse", "--short", "HEAD").strip()
    return name + ("-changed" if output("git", "status", "--porcelain", "crates/clausality-tm").strip() else "")


def describe(chosen, python):
    cpu = Path("/proc/cpuinfo").read_text()
    fields = dict(line.split(":", 1) for line in cpu.split("\n\n")[0].splitlines() if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    return {
        "kind": "environment",
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "quick": chosen.quick,
        "cpu": f"{fields.get('model name', platform.machine())}, family {fields.get('cpu family')} model {fields.get('model')}",
        "vector_flags": [flag for flag in fields.get("flags", "").split() if flag.startswith(("avx", "bmi", "popcnt"))],
        "cores": os.cpu_count(),
        "core": chosen.core,
        "load_before": os.getloadavg(),
        "kernel": platform.release(),
        "rustc": output("rustc", "--version").strip(),
        "rustflags": os.environ.get("RUSTFLAGS", ""),
        "python": platform.python_version(),
        "packages": output(python, "-m", "pip", "freeze").split(),
    }


def main():
    chosen = options()
    problems = [p for p in PROBLEMS if p.group in chosen.problems]
    target = target_folder()
    work = target / "machine-bench"
    work.mkdir(parents=True, exist_ok=True)
    python = make_environment(work)
    folder = make_problems(work, python, problems)
    example = build_example(work, target)
    environment = describe(chosen, python)
    results = (chosen.out or (work if chosen.quick else ROOT / "benches/results")).resolve()
    results.mkdir(parents=True, exist_ok=True)
    stem = results / f"machine-{environment['date']}-{environment['commit']}"
    raw = stem.with_suffix(".jsonl")
    raw.unlink(missing_ok=True)
    bench = Bench(chosen, work, python, example, folder, raw)
    bench.keep(environment)
    paths = available_paths(example, folder, problems[0])
    if "speed" in chosen.parts:
        bench.speed(problems, paths)
    if "study" in chosen.parts:
        bench.study([p for p in problems if p.group in ("A", "B")], paths[0])  # where accuracy and length are asked for
    bench.keep({"kind": "end", "load_after": os.getloadavg()})
    text, all_met = summary.write(bench.records)
    stem.with_suffix(".md").write_text(text)
    print(text)
    say(f"written: {raw} and {stem.with_suffix('.md').name}")
    sys.exit(1 if chosen.check and not all_met else 0)


if __name__ == "__main__":
    main()
