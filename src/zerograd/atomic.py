"""Replace a file as a whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
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
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # a pipe or a device, which nothing can take the place of
        else:
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
        take_after(temporary, target)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def take_after(temporary: Path, target: Path) -> None:
    """Give a new file the permissions and the owner of the one whose place it takes."""
    if not target.exists():
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        return
    status = target.stat()
    if hasattr(os, "chown"):
        with suppress(OSError):  # only root may give files away
            os.chown(temporary, status.st_uid, status.st_gid)
    temporary.chmod(status.st_mode & 0o7777)
