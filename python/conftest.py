"""What several tests and examples use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

import clausality as cl
from clausality import _warnings

ROOT = Path(__file__).resolve().parents[1]

# A shell that starts the suite in the background leaves interrupts ignored: what tests send would never arrive.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program() -> str:
    """The command line of the same commit: $CLAUSALITY_PROGRAM, or what cargo built last."""
    named = os.environ.get("CLAUSALITY_PROGRAM")
    built = [ROOT / "target" / profile / "clausality" for profile in ("python-dev", "release", "debug")]
    found = [Path(named)] if named else sorted(filter(Path.is_file, built), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.skip("the command line is not built: cargo build, or CLAUSALITY_PROGRAM=PATH")
    return str(found[-1])


@pytest.fixture(scope="session")
def command(program):
    """Runs the command line; gives its JSON document, or its error line."""

    def run(*arguments, ok=True, cwd=None):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
        if ok:
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout) if "--json" in arguments else done.stdout
        assert done.returncode != 0, done.stdout
        line = next(line for line in done.stderr.splitlines() if line.startswith("error: "))
        return done.returncode, line.removeprefix("error: ")

    return run


@pytest.fixture(scope="session")
def asia() -> cl.Network:
    return cl.load("asia")


@pytest.fixture(scope="session")
def rows(asia) -> cl.Frame:
    return asia.sample(1500, seed=3)


@pytest.fixture(scope="session")
def run(rows) -> cl.Run:
    return cl.learn(rows, seed=1, name="asia")


@pytest.fixture(scope="session", autouse=True)
def _weather(doctest_namespace: dict[str, object]) -> None:
    """``weather``, which the example of :class:`clausality.DynamicNetwork` makes, for those of its methods."""
    yes = ["yes", "no"]
    first = [{"name": f"{name}@0", "states": yes, "rows": [[0.5, 0.5]]} for name in ("Rain", "Wet")]
    rain = {"name": "Rain", "states": yes, "parents": ["Rain@-1"], "rows": [[0.8, 0.2], [0.4, 0.6]]}
    wet = {"name": "Wet", "states": yes, "parents": ["Rain"], "rows": [[0.9, 0.1], [0.1, 0.9]]}
    weather = cl.DynamicNetwork.from_document({"order": 1, "start": first, "transition": [rain, wet]})
    doctest_namespace["weather"] = weather


@pytest.fixture(autouse=True)
def _nothing_said() -> None:
    """What is warned of once in a session is warned of in every test."""
    _warnings._said.clear()
