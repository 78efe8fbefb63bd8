"""How far the work is: a bar of tqdm where it is installed, else a line on the terminal."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable

#: Seconds before anything is shown: quick work needs no bar.
PATIENCE = 0.5


class Progress:
    """A bar for each stage of the work. ``with Progress(shown) as tell:`` gives what the core calls, or nothing."""

    def __init__(self, shown: bool | None):
        self._shown = _is_watched() if shown is None else bool(shown)
        self._start = time.monotonic()
        self._bar: Any = None
        self._stage: str | None = None

    def __enter__(self) -> Callable[[str, int, int], None] | None:
        return self.tell if self._shown else None

    def __exit__(self, *_: object) -> None:
        self._close()

    def tell(self, stage: str, done: int, steps: int) -> None:
        """Hears how far a stage is."""
        if time.monotonic() - self._start < PATIENCE:
            return
        if (stage, steps) != (self._stage, getattr(self._bar, "total", None)):
            self._close()
            self._stage, self._bar = stage, _bar(stage, steps)
        self._bar.update(done - self._bar.n)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _is_watched() -> bool:
    """Whether somebody would see a bar: on a terminal, or in a notebook."""
    stream = sys.stderr
    return "ipykernel" in sys.modules or (stream is not None and hasattr(stream, "isatty") and stream.isatty())


def _bar(stage: str, steps: int) -> Any:
    try:
        if "ipykernel" in sys.modules:
            import ipywidgets  # noqa: F401  what tqdm's notebook bars are made of
            from tqdm.notebook import tqdm
        else:
            from tqdm import tqdm
    except ImportError:
        try:
            from tqdm import tqdm
        except ImportError:
            return Line(stage, steps)
    return tqdm(total=steps, desc=stage, leave=False)


class Line:
    """A line on standard error that is written over."""

    def __init__(self, stage: str, steps: int):
        self.total = steps
        self.n = 0
        self._stage = stage
        self._width = 0
        self._shown = ""

    def update(self, steps: int) -> None:
        """Adds steps that are done."""
        self.n += steps
        text = f"{self._stage} {self.n}/{self.total}"
        if text == self._shown:  # a notebook keeps every line that is written
            return
        self._shown = text
        self._width = max(self._width, len(text))
        print(f"\r{text.ljust(self._width)}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Takes the line away."""
        print(f"\r{' ' * self._width}\r", end="", file=sys.stderr, flush=True)
