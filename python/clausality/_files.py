"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file beside its place first, and puts it there when it is whole."""
    path = os.fspath(path)
    folder = os.path.dirname(path) or "."
    beside = os.path.join(folder, f".clausality-{secrets.token_hex(8)}")
    # The mode is what the process's mask leaves of it: the system applies that, nobody else has to know it.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(beside, flags, 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(beside, path)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:  # of the file that somebody asked for, not of ours
        raise OSError(error.errno, error.strerror, path) from None
