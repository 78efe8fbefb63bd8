"""Types: the stub of the compiled core says what the core has, and type checkers agree with how the package is used."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import clausality
from clausality import _clausality as core

USE = Path(__file__).with_name("typing_use.py")
PACKAGE = Path(clausality.__file__).parent


def need(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


def checker(*arguments: object) -> str:
    done = subprocess.run([sys.executable, "-m", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").is_file()


def test_the_stub_is_that_of_the_core():
    need("mypy")
    checker("mypy.stubtest", "clausality._clausality")


def test_the_stub_says_what_the_core_says_of_itself():
    """stubtest looks at names and arguments, not at the words."""
    stub = ast.parse((PACKAGE / "_clausality.pyi").read_text(encoding="utf-8"))
    for node in stub.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            thing = getattr(core, node.name)
            assert ast.get_docstring(node) == inspect.getdoc(thing), f"{node.name}: run scripts/stubs"
            for member in getattr(node, "body", []):
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
                    said = inspect.getdoc(getattr(thing, member.name))
                    assert ast.get_docstring(member) == said, f"{node.name}.{member.name}: run scripts/stubs"


def test_what_is_checked_is_true():
    runpy.run_path(str(USE))


def test_everything_public_is_checked():
    used = {node.attr for node in ast.walk(ast.parse(USE.read_text(encoding="utf-8"))) if isinstance(node, ast.Attribute)}
    assert {*clausality.__all__, *clausality._ON_DEMAND} <= used


def test_mypy(tmp_path):
    need("mypy")
    checker("mypy", "--strict", "--cache-dir", tmp_path, USE)


def test_pyright():
    need("pyright")
    assert "0 errors" in checker("pyright", "--pythonpath", sys.executable, USE)
