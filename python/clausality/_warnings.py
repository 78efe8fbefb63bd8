"""What deserves attention and is no error."""

from __future__ import annotations

import os
import re
import sys
import warnings
from typing import Iterable


class DataWarning(UserWarning):
    """Something about a table that deserves attention: cells that are no states, columns that are not there."""


#: What is said of gaps: once in a session of the same columns, whatever the table. Who knows of them is told nothing by the next call.
GAPS = "there is no value"

_said: set[str] = set()


def warn(messages: Iterable[str]) -> None:
    """Warns of each, at the line that called the package."""
    for message in messages:
        if GAPS in message:
            columns = re.sub("in [0-9,]+ of [0-9,]+ rows?", "", message)
            if columns in _said:
                continue
            _said.add(columns)
        warnings.warn(message, DataWarning, stacklevel=_depth())


def _depth() -> int:
    """How many calls up the package was called."""
    folder, depth, frame = os.path.dirname(__file__), 1, sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == folder:
        depth, frame = depth + 1, frame.f_back
    return depth
