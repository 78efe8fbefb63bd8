"""Every public name shows by an example how it is used; pytest's doctests run them."""

from __future__ import annotations

import inspect
from functools import cached_property
from types import FunctionType

import clausality as cl

KINDS = (FunctionType, property, cached_property, classmethod, staticmethod)


def documented():
    """Public names, and those of the public classes, with what is said of each."""
    for name in (*cl.__all__, *cl._ON_DEMAND):
        thing = getattr(cl, name)
        if not isinstance(thing, type):
            yield name, inspect.getdoc(thing)
        elif not issubclass(thing, BaseException):
            yield name, inspect.getdoc(thing)
            ours = [base for base in thing.__mro__ if base.__module__.startswith("clausality.")]
            for member, value in (pair for base in reversed(ours) for pair in vars(base).items()):
                if isinstance(value, KINDS) and not member.startswith("_"):
                    yield f"{name}.{member}", inspect.getdoc(value)


def test_every_public_name_has_an_example():
    found = dict(documented())
    assert len(found) > 80 and "Run.arcs" in found and "Imputer.transform" in found
    assert [name for name, said in found.items() if ">>>" not in (said or "")] == []
