"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file beside its place first, and puts it there when it is whole."""
    path = os.fspath(path)
    folder = os.path.dirname(path) or "."
    handle, beside = tempfile.mkstemp(dir=folder, prefix=".clausality-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
