#!/usr/bin/env python3
"""Runs the bad-input examples of FOLDER against PROGRAM: those whose command the program has.

    badinput.py FOLDER PROGRAM
"""
import csv, json, os, signal, subprocess, sys, tempfile
from urllib.parse import parse_qs, urlsplit

folder, program = sys.argv[1], os.path.abspath(sys.argv[2])
helped = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
# Which command of ours each operation needs; the others are left out until it exists.
needs = {"learn": "learn", "config": "learn", "model": "check", "query": "query", "export-html": "convert", "http": "explore"}
have = {op for op, command in needs.items() if f"\n  {command} " in helped}
with open(os.path.join(folder, "manifest.csv"), newline="") as f:
    rows = list(csv.DictReader(f))
kept = [r for r in rows if r["op"] in have]


def explorer():
    """A running explorer, and what check.py has to know of it."""
    server = subprocess.Popen([program, "explore", "@asia", "--no-open", "--json", "--quiet"], stdout=subprocess.PIPE, text=True)
    document = ""
    while not document.endswith("\n}\n"):
        document += server.stdout.readline() or sys.exit("the explorer did not start")
    url = urlsplit(json.loads(document)["url"])
    return server, ["--port", str(url.port), "--token", parse_qs(url.query)["token"][0]]


with tempfile.TemporaryDirectory() as work:
    for name in os.listdir(folder):
        os.symlink(os.path.join(os.path.abspath(folder), name), os.path.join(work, name)) if name != "manifest.csv" else None
    with open(os.path.join(work, "manifest.csv"), "w", newline="") as f:
        out = csv.DictWriter(f, rows[0].keys())
        out.writeheader()
        out.writerows(kept)
    print(f"{len(kept)} of {len(rows)} examples; without a command yet: {len(rows) - len(kept)}", flush=True)
    server, place = explorer() if "http" in have else (None, [])
    done = subprocess.run([sys.executable, os.path.join(folder, "check.py"), "--bin", program,
                           "--manifest", os.path.join(work, "manifest.csv"), *place])
    if server:
        server.send_signal(signal.SIGINT)
        assert server.wait(10) == 0, "the explorer did not end in good order"
sys.exit(done.returncode)
