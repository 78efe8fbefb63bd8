"""Peak resident memory of commands under limits: limit + 64 MiB, or refused within a second. See memory.sh."""

import argparse
import os
import platform
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MIB = 1 << 20
SLACK = 64
REFUSAL = 1.0  # CPU seconds: the clock would measure who else is at work here
READING = 10  # MB a second: what a wide table holds is known when it is read
PATIENCE = 1800
GLANCE = 5  # CPU seconds after which what would take minutes or hours is ended; what it held until then counts


def worked(pid):
    """CPU seconds so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(words, at, address_space=None, patience=PATIENCE):
    """Exit code (nothing if it was ended), peak in MiB, CPU seconds, and the line of the error."""
    said = at / "said.txt"
    pid = os.fork()
    if pid == 0:
        os.chdir(at)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space * MIB, address_space * MIB))
        os.execvp(words[0], words)
    ended = False
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            break
        if not ended and worked(pid) > patience:
            os.kill(pid, signal.SIGKILL)
            ended = True
        time.sleep(0.005)
    error = next((line for line in said.read_text(errors="replace").splitlines() if line.startswith("error: ")), "")
    code = None if ended else os.waitstatus_to_exitcode(status)
    return code, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime, error


def wide(path, columns, rows):
    """Letters without any order to them."""
    dice = random.Random(1)
    with open(path, "w") as file:
        file.write(",".join(f"c{k}" for k in range(columns)) + "\n")
        for _ in range(rows):
            file.write(",".join(dice.choices("ab", k=columns)) + "\n")


# Columns and rows of tables of at most 100 MB.
WIDE = [(c, r) for c in (1_000, 7_000, 10_000, 20_000, 65_536) for r in (3, 100, 2_000) if c * r <= 50_000_000]


def tables(program, at, networks):
    """The inputs; munin and pigs where their files are at hand."""
    wide(at / "wide65536.csv", 65_536, 3)
    wide(at / "wide10000.csv", 10_000, 3)
    wide(at / "wide300.csv", 300, 200)
    for columns, rows in WIDE:
        wide(at / f"wide{columns}x{rows}.csv", columns, rows)
    (at / "name.csv").write_text("n" * 1_000_000 + ",b\n" + "x,y\n" * 50)
    (at / "cell.csv").write_text("a,b\n" + "x,y\n" * 50 + "x," + "z" * MIB + "\n")
    name = "n" * 1_000_000
    (at / "name.bif").write_text(
        f"network u {{ }}\nvariable {name} {{ type discrete [ 2 ] {{ a, b }}; }}\nprobability ( {name} ) {{ table 0.5, 0.5; }}\n"
    )
    known = []
    for network in ("munin", "pigs"):
        if networks and (Path(networks) / f"{network}.bif.gz").exists():
            shutil.copy(Path(networks) / f"{network}.bif.gz", at)
            sample = [program, "sample", f"{network}.bif.gz", "-n", "5000", "-o", f"{network}.csv", "-q"]
            subprocess.run(sample, cwd=at, check=True)
            known.append(network)
    return known


# What is asked, with the limits (MiB) and whether a refusal, an answer or either is right.
REFUSED, DONE, EITHER, GLANCED = "refused", "done", "either", "glanced at"


def cases(known, quick):
    for table in ("wide65536", "wide10000", "wide10000x100"):
        for command in ("learn", "strengths"):
            yield f"{command} {table}.csv", [256, 4096], REFUSED
    for columns, rows in WIDE:
        for command in ("inspect", "strengths", "learn"):
            limits = [64, 256, 1024, None] if rows < 2_000 else [64, None]
            yield f"{command} wide{columns}x{rows}.csv", limits, GLANCED
    yield "evaluate wide10000x100.csv --target c7", [4096], REFUSED
    yield "learn wide65536.csv", [None], REFUSED
    yield "inspect wide65536.csv", [64, 256, None], EITHER
    yield "inspect wide10000x100.csv", [16, 256], EITHER
    yield "learn wide300.csv --clauses 16777216", [64, 4096, None], REFUSED
    yield "strengths wide300.csv --clauses 16777216", [64, 4096], REFUSED
    yield "inspect name.csv", [64, None], REFUSED
    yield "inspect cell.csv", [64, None], REFUSED
    yield "check name.bif", [16, None], DONE
    yield "demo insurance --rows 100000000 --run demo", [1024], REFUSED
    yield "learn wide300.csv --rounds 1 --epochs 1", [1, 64], EITHER
    yield "learn wide300.csv --rounds 1 --epochs 1 --run run", [32, 256], EITHER
    yield "report run -o page.html", [16, 128], EITHER
    yield "explain run --node c7", [16, 128], EITHER
    yield "convert run -o run.svg", [128], DONE
    yield "fit run wide300.csv -o fitted.bif", [16, 64], DONE
    yield "query run --target c7", [16, 64], DONE
    yield "predict run wide300.csv --target c7 -o said.csv", [16, 64], DONE
    yield "score run wide300.csv", [16, 64], DONE
    yield "impute run wide300.csv -o filled.csv", [16, 64], DONE
    yield "validate --networks asia --repeats 1 --rounds 2 --rows 500", [16], DONE
    yield "query @diabetes --target bg_24", [1, 16, 64], EITHER
    for network in known:
        file = f"{network}.bif.gz"
        yield f"check {file}", [1, 10, 64], EITHER
        yield f"convert {file} -o {network}.json", [10, 64], DONE
        yield f"sample {file} -n 20000 -o rows.csv", [10, 64], DONE
        yield f"inspect {network}.csv", [10, 64], EITHER
        yield f"fit {file} {network}.csv -o fitted.bif", [10, 64], EITHER
        yield f"score {file} {network}.csv", [10, 64], EITHER
        yield f"learn {network}.csv", [10, 64], EITHER
        yield f"strengths {network}.csv", [10, 64], EITHER
        if not quick:
            yield f"learn {network}.csv", [256], EITHER
            yield f"strengths {network}.csv", [192], EITHER
            yield f"learn {network}.csv --run run", [1024], DONE


def judged(code, peak, seconds, limit, expected, megabytes):
    """What is wrong, or nothing."""
    if code not in (0, 3) and (code is not None or expected != GLANCED):
        return f"ended with {code}"
    if limit and peak > limit + SLACK:
        return "over its limit"
    if code == 3 and seconds > REFUSAL + megabytes / READING:
        return "refused late"
    wanted = {REFUSED: [3], DONE: [0], EITHER: [0, 3], GLANCED: [0, 3, None]}[expected]
    return "" if code in wanted else f"was to be {expected}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="commands that hold this text")
    parser.add_argument("--networks", default=os.environ.get("CLAUSALITY_NETWORKS"))
    args = parser.parse_args()
    program = str(Path(args.program).resolve())
    git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MIB
    print(f"# Memory under limits\n\n{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, commit {git.stdout.strip()}, ", end="")
    print(f"{platform.machine()}, {os.cpu_count()} cores, {memory:,} MiB. Peak resident memory (MiB) by `wait4`; CPU seconds.")
    print(f"Right is: at most the limit and {SLACK} MiB, or refused (exit 3) within {REFUSAL:g} s and")
    print(f"1 s for every {READING} MB of the table, which is read first. What would take minutes is ended after {GLANCE} s of work: at work.\n")
    print("| command | limit | exit | peak | seconds | wrong |\n|---|---|---|---|---|---|")
    faults = total = 0
    reasons = {}
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        known = tables(program, at, args.networks)

        def tried(command, limit, expected, address_space=None):
            nonlocal faults, total
            if args.only not in command:
                return
            words = [program, *command.split(), "--quiet"]
            if limit:
                words += ["--memory-limit", f"{limit}M"]
            code, peak, seconds, error = run(words, at, address_space, GLANCE if expected == GLANCED else PATIENCE)
            table = at / command.split()[1]
            megabytes = table.stat().st_size / 1e6 if table.is_file() else 0
            # Addresses are no memory: what counts is that it ends in good order.
            wrong = judged(code, peak, seconds, None if address_space else limit, expected, megabytes)
            bound = f"{limit:,} M" if limit else "half" if not address_space else ""
            bound += f" ulimit -v {address_space} M" if address_space else ""
            print(f"| {command} | {bound} | {'at work' if code is None else code} | {peak:.0f} | {seconds:.2f} | {wrong} |", flush=True)
            faults += bool(wrong)
            total += 1
            if error:
                reasons.setdefault(error.split(":")[1].strip()[:40], error)

        for command, limits, expected in cases(known, args.quick):
            for limit in limits:
                tried(command, limit, expected)
        for megabytes in (200, 400, 1000):
            tried("learn wide10000.csv --threads 2", 100_000, REFUSED, megabytes)
            tried("learn wide300.csv --clauses 16777216 --threads 2", 100_000, REFUSED, megabytes)
            tried("check name.bif --threads 2", None, EITHER, megabytes)
            tried("learn wide300.csv --rounds 1 --epochs 1 --threads 2", None, EITHER, megabytes)
    print("\nRefusals, one of each kind:\n")
    for error in sorted(reasons.values()):
        print(f"- `{error[:600]}`")
    print(f"\n{total} tried, {faults} wrong.")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
