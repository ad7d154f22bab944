"""Replace a file as a whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from zerograd.errors import UnreadableError


def write_atomically(path: Path, content: bytes, *, expected: bytes | None = None) -> None:
    """Write a file so that nobody ever sees half of it; its mode stays, a link stays a link.

    With `expected` it is refused when the file holds anything else by now.
    """
    target = Path(os.path.realpath(path))
    try:
        if expected is not None and target.read_bytes() != expected:
            raise UnreadableError(f"{path} was changed meanwhile and is left as it is; run again")
        replace_file(target, content)
    except OSError as error:
        raise UnreadableError(f"cannot write {path}: {error.strerror or error}") from error


def replace_file(target: Path, content: bytes) -> None:
    """Write beside the target, then put the new file in its place."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(mode_of(target))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def mode_of(target: Path) -> int:
    """Return the permissions of a file, or those that a new one gets."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
