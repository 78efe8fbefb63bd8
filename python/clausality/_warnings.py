"""What deserves attention and is no error."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Iterable


class DataWarning(UserWarning):
    """Something about a table that deserves attention: cells that are no states, columns that are not there."""


def warn(messages: Iterable[str]) -> None:
    """Warns of each, at the line that called the package."""
    for message in messages:
        warnings.warn(message, DataWarning, stacklevel=_depth())


def _depth() -> int:
    """How many calls up the package was called."""
    folder, depth, frame = os.path.dirname(__file__), 1, sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == folder:
        depth, frame = depth + 1, frame.f_back
    return depth
