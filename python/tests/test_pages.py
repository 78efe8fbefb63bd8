"""The pages of docs/ that are about Python: their examples are run, and every public name has its place."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import clausality as cl

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(path for path in DOCS.glob("*.md") if ">>>" in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_a_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(page), module_relative=False)
    assert found.attempted > 3 and found.failed == 0


def test_the_page_of_all_names_has_all_names():
    listed = re.findall(r"^::: clausality\.(\w+)$", (DOCS / "python-api.md").read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == sorted({*cl.__all__, *cl._ON_DEMAND} - {"__version__"})
