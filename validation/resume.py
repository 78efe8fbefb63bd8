"""Runs killed at random moments and resumed, against runs that nobody disturbed. See resume.sh."""

import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
KILLS = int(sys.argv[2])

#: what is killed: a name, the network its rows are of, and the command; 2,000 rows, or as many as stand there
CASES = [
    ("hybrid", "insurance", ["learn", "rows.csv", "--run", "run"]),
    ("search", "win95pts", ["learn", "rows.csv", "--run", "run", "--rounds", "1"], 5000),
    ("paper", "child", ["learn", "rows.csv", "--run", "run", "--profile", "paper"]),
    ("bootstrap", "asia", ["learn", "rows.csv", "--run", "run", "--bootstrap", "20"]),
    ("paper, bootstrap", "asia", ["learn", "rows.csv", "--run", "run", "--profile", "paper", "--bootstrap", "4"]),
    ("target, folds", "asia", ["learn", "rows.csv", "--run", "run", "--target", "dysp", "--folds", "4"]),
    ("more rows than are held", "child", ["learn", "rows.csv", "--run", "run", "--rows-held", "5000"], 400_000),
    ("demo", "asia", ["demo", "child", "--rows", "2000", "--run", "run"]),
]


def call(folder, arguments):
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stderr


def contents(folder):
    """Every file below, hidden ones too; the seconds of a run left out."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            data = open(path, "rb").read()
            data = re.sub(rb'"seconds": [^,\n]+', b'"seconds": 0', data)
            found[os.path.relpath(path, folder)] = re.sub(rb"[0-9.,]+ seconds", b"0 seconds", data)
    return found


def main():
    scratch = tempfile.mkdtemp(prefix="resume-")
    draw = random.Random(19)
    wrong = []
    total = 0
    print(f"# Killed and resumed\n\n{platform.system()} {platform.release()}, {os.cpu_count()} cores; `validation/resume.sh`.\n")
    print("A chain is one run, killed again and again at random moments of its usual time, and then let go on to its end.\n")
    print("| case | usual time | chains | kills | chains that found something | other bytes |\n|---|---|---|---|---|---|", flush=True)
    for number, (name, network, command, *many) in enumerate(CASES):
        template = os.path.join(scratch, f"template-{number}")
        os.mkdir(template)
        call(template, ["sample", f"@{network}", "-n", str(*many or [2000]), "-o", "rows.csv"])
        rows = contents(template)
        call(template, command)
        expected = contents(template)
        began = time.time()
        call(template, [*command, "--fresh"])
        usual = time.time() - began
        wanted = KILLS // len(CASES) + (number < KILLS % len(CASES))
        chains = kills = resumed = bad = 0
        while kills < wanted:
            desk = os.path.join(scratch, "desk")
            shutil.rmtree(desk, ignore_errors=True)
            os.mkdir(desk)
            for path, data in rows.items():
                open(os.path.join(desk, path), "wb").write(data)
            chains += 1
            for _ in range(draw.randrange(1, 5)):
                child = subprocess.Popen([PROGRAM, *command], cwd=desk, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(draw.uniform(0, usual))
                child.kill()
                if child.wait() == 0:
                    break
                kills += 1
            resumed += "resumed: " in call(desk, command)
            if contents(desk) != expected:
                bad += 1
                found = contents(desk)
                wrong.append(f"{name}: {[n for n in {*found, *expected} if found.get(n) != expected.get(n)]}")
        total += kills
        print(f"| {name} | {usual:.2f} s | {chains} | {kills} | {resumed} | {bad} |", flush=True)
    print(f"\n{total} kills, {len(wrong)} runs with other bytes.\n")

    for line in wrong:
        print(f"\n- {line}")
    shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(1 if wrong else 0)


main()
