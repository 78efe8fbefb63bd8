"""Faults at every step of writing, and whether what is left is whole. See faults.sh.

Every case starts from a copy of the same desk: a table, a run with a note of the user's in it, finished tables of a validation. The
program runs under strace, which answers the n-th call of one kind with an error or a kill. Then two things are looked at: the files
themselves, byte for byte against the old and the new ones, and what the next command says. Nothing of the program is believed
but its exit code.
"""

import json
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
QUICK = "--quick" in sys.argv
FAST = ["--rounds", "1", "--epochs", "1", "--threads", "1"]
FILES = ["run.json", "network.bif", "network.json", "edges.csv", "strengths.csv", "clauses.json", "report.html"]
KINDS = {
    "write": "write,writev,pwrite64",
    "fsync": "fsync,fdatasync",
    "rename": "rename,renameat,renameat2",
    "mkdir, unlink, rmdir, ftruncate": "mkdir,mkdirat,unlink,unlinkat,rmdir,ftruncate",
}
VALIDATE = ["validate", "--networks", "cancer", "--models", "I", "--repeats", "1", "--rows", "200",
            "--rounds", "1", "--epochs", "1", "--threads", "1", "-o", "tables"]

#: command, what it is about
COMMANDS = {
    "learn over a run": ["learn", "asia.csv", "--seed", "2", "--run", "run", *FAST],
    "learn a new run": ["learn", "asia.csv", "--seed", "2", "--run", "deep/new", *FAST],
    "learn where one stands": ["learn", "../asia.csv", "--seed", "2", "--run", ".", *FAST],
    "demo": ["demo", "asia", "--rows", "200", "--seed", "2", "--run", "demo", *FAST],
    "validate": [*VALIDATE, "--seed", "2"],
    "report": ["report", "run", "--truth", "@asia", "-o", "page.html"],
    "convert": ["convert", "run", "-o", "net.bif", "-o", "net.net", "-o", "net.json"],
}


def call(folder, arguments, prefix=()):
    """Runs the program; its exit code (negative: the signal that ended it) and what it said."""
    done = subprocess.run([*prefix, PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace")
    return done.returncode, done.stderr


def must(folder, arguments):
    code, said = call(folder, arguments)
    assert code == 0, (arguments, said)


def contents(folder):
    """Every file below, hidden ones too; the seconds of a run left out."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            data = open(path, "rb").read()
            data = re.sub(rb'"seconds": [^,\n]+', b'"seconds": 0', data)
            data = re.sub(rb"[0-9.,]+ seconds", b"0 seconds", data)
            data = re.sub(rb'"seconds":[^,}]+', b'"seconds":0', data)
            found[os.path.relpath(path, folder)] = data
    return found


def is_hidden(name):
    return any(part.startswith(".clausality") for part in name.split("/"))


def make_desk(folder):
    must(folder, ["sample", "@asia", "-n", "300", "-o", "asia.csv"])
    must(folder, ["learn", "asia.csv", "--bootstrap", "2", "--run", "run", *FAST])
    must(folder, ["demo", "asia", "--rows", "200", "--run", "demo", *FAST])
    must(folder, [*VALIDATE, "--seed", "1"])
    must(folder, ["report", "run", "-o", "page.html"])
    must(folder, ["convert", "@cancer", "-o", "net.bif", "-o", "net.net", "-o", "net.json"])
    for place in ["run/notes.txt", "demo/notes.txt", "demo/paper/notes.txt", "tables/notes.txt"]:
        open(os.path.join(folder, place), "w").write("of the user")


def home(command):
    return "run" if command == "learn where one stands" else "."


#: the files of each command that must be of one make
GROUPS = {
    "learn over a run": ["run"], "learn a new run": ["deep"], "learn where one stands": ["run"], "demo": ["demo"],
    "validate": ["tables"], "report": ["page.html"], "convert": ["net.bif", "net.net", "net.json"],
}


def state(found, group, old, new):
    """Whether a group of files is old, new, or neither; hidden parts are looked at elsewhere."""
    of = lambda files: {name: data for name, data in files.items()
                        if (name == group or name.startswith(group + "/")) and not is_hidden(name)}
    here = of(found)
    if here == of(old):
        return "old"
    if here == of(new):
        return "new"
    return "neither"


class Torn(Exception):
    pass


def judge(command, desk, code, old, new, killed):
    """What a case left, before and after the next command; raises Torn with what is wrong."""
    found = contents(desk)
    # What is finished of a run stays, for the same command to go on.
    hidden = sorted(name for name in found if is_hidden(name) and not name.endswith(".scraps"))
    if hidden and not killed:
        raise Torn(f"left behind: {hidden[:3]}")
    readers = {"learn over a run": ["run"], "learn a new run": ["deep/new"], "learn where one stands": ["run"],
               "demo": ["demo", "demo/paper"]}.get(command, [])
    for run in readers:
        if os.path.isdir(os.path.join(desk, run)) or command != "learn a new run":
            said = call(desk, ["explain", run, "--node", "dysp"])
            if said[0] != 0:
                raise Torn(f"{run} cannot be read: {said[1]}")
    found = contents(desk)
    if command == "validate" and killed:
        # Nobody reads this folder: what the user keeps in it may lie beside until the next command, which is looked at below.
        found.setdefault("tables/notes.txt", found.get(".clausality-tables.part/notes.txt"))
    states = set()
    for group in GROUPS[command]:
        made = state(found, group, old, new)
        if made == "neither" and command == "validate":
            # Units are kept as they are finished; the tables and the user's file are the old ones until the end.
            tables = [f"tables/{name}" for name in ["tables.json", "tables.txt", "notes.txt"]]
            made = "old" if all(found.get(name) == old[name] for name in tables) else "neither"
        if made == "neither":
            raise Torn(f"{group} is neither old nor new: {sorted(n for n in found if n.startswith(group))}")
        states.add(made)
    if command == "convert" and len(states) > 1:
        # Several files are several steps; each is whole.
        states = {"some new"}
    others = lambda files: {name: data for name, data in files.items() if not is_hidden(name)
                            and not any(name == g or name.startswith(g + "/") for g in GROUPS[command])}
    if others(found) != others(old):
        raise Torn(f"other files changed: {sorted(set(others(found)) ^ set(others(old)))}")
    # The next command ends as if nothing had been, and nothing is left.
    again, said = call(os.path.join(desk, home(command)), COMMANDS[command])
    if again != 0:
        raise Torn(f"the next command: {said}")
    last = contents(desk)
    if last != new:
        raise Torn(f"the next command left {sorted(n for n in set(last) | set(new) if last.get(n) != new.get(n))[:4]}")
    if code == 0 and "old" in states and command != "validate":
        raise Torn("success was told and nothing written")
    return "/".join(sorted(states))


def counts(command, template, scratch):
    """How often the program makes each kind of call, by a run without faults, and what that run leaves."""
    desk = fresh(template, scratch)
    log = os.path.join(scratch, "trace")
    calls = ",".join(KINDS.values())
    code, said = call(os.path.join(desk, home(command)), COMMANDS[command],
                      ["strace", "-f", "-qq", "-o", log, "-e", f"trace={calls}"])
    assert code == 0, (command, said)
    lines = open(log, errors="replace").read().splitlines()
    found = {}
    for kind, names in KINDS.items():
        pattern = re.compile(r"^(\d+) +(%s)\(" % "|".join(names.split(",")))
        by_thread = {}
        for match in filter(None, map(pattern.match, lines)):
            by_thread[match[1]] = by_thread.get(match[1], 0) + 1
        # strace counts by thread.
        found[kind] = max(by_thread.values(), default=0)
    return found, contents(desk)


def fresh(template, scratch):
    desk = os.path.join(scratch, "desk")
    shutil.rmtree(desk, ignore_errors=True)
    shutil.copytree(template, desk, symlinks=True)
    return desk


def main():
    scratch = tempfile.mkdtemp(prefix="faults-")
    template = os.path.join(scratch, "template")
    os.mkdir(template)
    make_desk(template)
    old = contents(template)
    start = time.time()
    cores = os.cpu_count()
    print(f"# Faults at every step of writing\n\n{platform.system()} {platform.release()}, {cores} cores, "
          f"{'every seventh case' if QUICK else 'every case'}; `validation/faults.sh`.\n")
    print(f"Program: {subprocess.run([PROGRAM, '--version'], capture_output=True, text=True).stdout.strip()}"
          f"{', not optimised' if '/debug/' in PROGRAM or os.environ.get('UNOPTIMISED') else ''}.\n")
    print("| command | call | times | fault | cases | old | new | torn |\n|---|---|---|---|---|---|---|---|")
    torn = []
    total = 0
    for command in COMMANDS:
        found, new = counts(command, template, scratch)
        for kind, calls in KINDS.items():
            faults = ["KILL", "EIO", "ENOSPC"] if not kind.startswith("mkdir") else ["KILL"]
            for fault in faults:
                tally = {}
                for n in range(1, found[kind] + 1, 7 if QUICK else 1):
                    desk = fresh(template, scratch)
                    what = "signal=KILL" if fault == "KILL" else f"error={fault}"
                    code, said = call(os.path.join(desk, home(command)), COMMANDS[command],
                                      ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e", f"inject={calls}:{what}:when={n}"])
                    total += 1
                    try:
                        left = judge(command, desk, code, old, new, fault == "KILL")
                    except Torn as wrong:
                        left = "torn"
                        torn.append(f"{command}, {fault} at {kind} {n} (exit {code}): {wrong}\n  {said.strip()[:300]}")
                    tally[left] = tally.get(left, 0) + 1
                cases = sum(tally.values())
                extra = "".join(f" ({v} {k})" for k, v in tally.items() if k not in ("old", "new", "torn"))
                print(f"| {command} | {kind} | {found[kind]} | {fault} | {cases} | {tally.get('old', 0)} | "
                      f"{tally.get('new', 0)}{extra} | {tally.get('torn', 0)} |", flush=True)

    kills = 20 if QUICK else 200
    draw = random.Random(17)
    tally = {}
    command = "learn over a run"
    began = time.time()
    call(fresh(template, scratch), COMMANDS[command])
    usual = time.time() - began
    _, new = counts(command, template, scratch)
    for n in range(kills):
        desk = fresh(template, scratch)
        child = subprocess.Popen([PROGRAM, *COMMANDS[command]], cwd=desk, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0, usual * 1.1))
        child.kill()
        child.wait()
        try:
            left = judge(command, desk, child.returncode, old, new, True)
        except Torn as wrong:
            left = "torn"
            torn.append(f"killed at random, {n}: {wrong}")
        tally[left] = tally.get(left, 0) + 1
    print(f"\n{kills} kills at random moments of {usual:.2f} s: {json.dumps(tally, sort_keys=True)}.")

    pairs = 5 if QUICK else 50
    tally = {}
    for n in range(pairs):
        desk = fresh(template, scratch)
        # Every sync and rename takes a while, so that the two meet at all steps.
        slow = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,renameat2,rename,unlink",
                "-e", f"inject=fsync,renameat2,rename,unlink:delay_enter={draw.randrange(1, 30) * 1000}"]
        both = []
        for seed in ["2", "3"]:
            line = [*slow, PROGRAM, "learn", "asia.csv", "--seed", seed, "--run", "run", *FAST]
            both.append(subprocess.Popen(line, cwd=desk, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.PIPE, text=True))
            time.sleep(draw.uniform(0, usual * 3) if n % 2 else 0)
        said = [child.communicate()[1] for child in both]
        codes = [child.returncode for child in both]
        refused = [code == 1 and "another command is writing here" in text for code, text in zip(codes, said)]
        fine = all(code == 0 or no for code, no in zip(codes, refused)) and codes != [1, 1]
        read = call(desk, ["explain", "run", "--node", "dysp"])
        left = contents(desk)
        clean = not any(map(is_hidden, left)) and "run/notes.txt" in left and "run/consensus.json" not in left
        outcome = "one refused" if any(refused) else "one after the other"
        if not fine or read[0] != 0 or not clean:
            outcome = "torn"
            torn.append(f"pair {n}: {codes} {said} {read}")
        tally[outcome] = tally.get(outcome, 0) + 1
    print(f"\n{pairs} pairs on one folder, slowed: {json.dumps(tally, sort_keys=True)}.")
    print(f"\n{total + kills + pairs} cases, {len(torn)} torn, {time.time() - start:.0f} s.")
    for line in torn:
        print(f"\n- {line}")
    shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(1 if torn else 0)


main()
