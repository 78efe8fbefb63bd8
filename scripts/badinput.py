#!/usr/bin/env python3
"""Runs the bad-input examples of FOLDER against PROGRAM: those whose command the program has.

    badinput.py FOLDER PROGRAM
"""
import csv, os, subprocess, sys, tempfile

folder, program = sys.argv[1], os.path.abspath(sys.argv[2])
helped = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
# Which command of ours each operation needs; the others are left out until it exists.
needs = {"learn": "learn", "config": "learn", "model": "check", "query": "query", "export-html": "convert"}
have = {op for op, command in needs.items() if f"\n  {command} " in helped}
with open(os.path.join(folder, "manifest.csv"), newline="") as f:
    rows = list(csv.DictReader(f))
kept = [r for r in rows if r["op"] in have]
with tempfile.TemporaryDirectory() as work:
    for name in os.listdir(folder):
        os.symlink(os.path.join(os.path.abspath(folder), name), os.path.join(work, name)) if name != "manifest.csv" else None
    with open(os.path.join(work, "manifest.csv"), "w", newline="") as f:
        out = csv.DictWriter(f, rows[0].keys())
        out.writeheader()
        out.writerows(kept)
    print(f"{len(kept)} of {len(rows)} examples; without a command yet: {len(rows) - len(kept)}", flush=True)
    done = subprocess.run([sys.executable, os.path.join(folder, "check.py"), "--bin", program,
                           "--manifest", os.path.join(work, "manifest.csv")])
sys.exit(done.returncode)
