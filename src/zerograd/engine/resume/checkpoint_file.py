"""The file of a checkpoint: published whole or not at all, and read without running any of it."""

from __future__ import annotations

import difflib
import errno
import os
import shlex
import stat
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from zerograd.atomic import replacement
from zerograd.errors import CheckpointError
from zerograd.hooks.serialization import unsafe_globals, with_checksums

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opening a pipe waits for whoever writes into it."""

ADVICE = {
    errno.ENOSPC: "free some space, or name a file on another disk",
    errno.EDQUOT: "free some space, or name a file on another disk",
    errno.EFBIG: "raise the limit: ulimit -f unlimited",
    errno.EACCES: "name a file that you may write, in a folder that you may write to",
    errno.EPERM: "name a file that you may write, in a folder that you may write to",
    errno.EROFS: "name a file in a folder that you may write to",
    errno.ENAMETOOLONG: "choose a shorter name",
}


class UnreadableStateError(Exception):
    """A state that cannot be pickled, or that only running code could read back."""


def write(path: Path, state: dict[str, Any]) -> None:
    """Put a complete new file in the place of the older one; a link is written through.

    The older file stays until the new one is complete on disk. A hard link to it keeps it.
    """
    try:
        target = _target(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    except ValueError as error:
        raise _unnamed(path) from error
    try:
        with replacement(target) as file:
            refuse_unreadable(file, state)
    except BaseException as error:
        interrupt, failure = _causes(error)
        if interrupt is not None:
            raise interrupt from None
        if failure is not None:
            raise _unwritable(path, failure) from error
        raise


def _target(path: Path) -> Path:
    """Return the file that a path leads to, through links, if a checkpoint may take its place."""
    target = Path(os.path.realpath(path))
    try:
        status = target.stat()
    except FileNotFoundError:
        _refuse_missing_folder(path, target)
        return target
    if stat.S_ISDIR(status.st_mode):
        raise CheckpointError(f"{path} is a folder; name a file in it: {path / 'run.pt'}")
    if not stat.S_ISREG(status.st_mode):
        raise CheckpointError(
            f"{path} is a device or a pipe, which no checkpoint may take the place of; name a file"
        )
    effective = os.access in os.supports_effective_ids
    if not os.access(target, os.W_OK, effective_ids=effective):  # a rename would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return target


def _refuse_missing_folder(path: Path, target: Path) -> None:
    if target.parent.is_dir():
        return
    folder = target.parent if path.parent.is_dir() else path.parent
    _refuse_tilde(path, folder)
    raise CheckpointError(
        f"there is no folder {folder}; make it first: mkdir -p {shlex.quote(str(folder))}"
    )


def _refuse_tilde(path: Path, folder: Path) -> None:
    if path.parts[0].startswith("~"):
        raise CheckpointError(
            f"there is no folder {folder}, since Python does not expand ~; write "
            f"os.path.expanduser({str(path)!r})"
        )


def refuse_unreadable(file: BinaryIO, state: Any) -> None:
    """Write a state into a file, and raise if it could not be read back without running code."""
    try:
        with with_checksums():  # a torn file is told by them
            torch.save(state, file)
    except BaseException as error:
        if _causes(error) != (None, None):
            raise
        raise UnreadableStateError("holds something that cannot be pickled") from error
    file.seek(0)
    unsafe = unsafe_globals(file)
    if unsafe:
        raise UnreadableStateError(
            f"holds something that only {' and '.join(sorted(unsafe))} could read back, and "
            "reading a checkpoint runs no code"
        )


def _causes(error: BaseException) -> tuple[BaseException | None, OSError | None]:
    """Return the interrupt and the failed write behind an error.

    torch answers any exception in a write with a RuntimeError of its own about positions.
    """
    interrupt, failure = None, None
    for one in _chain(error):
        if not isinstance(one, Exception):
            interrupt = one
        elif isinstance(one, OSError):
            failure = one
    return interrupt, failure


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _unwritable(path: Path, error: OSError) -> CheckpointError:
    advice = ADVICE.get(error.errno or 0, "name another file")
    return CheckpointError(
        f"{path} cannot be written ({error.strerror or error}), and an older file is as it was; "
        f"{advice}"
    )


def read(path: Path) -> Any:
    """Return what a file holds; FileNotFoundError when there is none."""
    try:
        descriptor = os.open(path, READ)
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise CheckpointError(
            f"{path} cannot be read ({error.strerror}); see who owns it and where it leads"
        ) from error
    except ValueError as error:
        raise _unnamed(path) from error
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        what = "folder" if stat.S_ISDIR(kind) else "device or a pipe"
        raise CheckpointError(f"{path} is a {what}; name the file that checkpoint() wrote")
    try:
        with os.fdopen(descriptor, "rb") as file:
            return _loaded_from(file)
    # Neither zipfile nor torch.load says what a damaged file may make it stumble over.
    except Exception as error:
        raise _torn(path) from error


def _unnamed(path: Path) -> CheckpointError:
    return CheckpointError(f"{str(path)!r} is no name of a file; name another")


def _loaded_from(file: BinaryIO) -> Any:
    size = os.fstat(file.fileno()).st_size
    # torch.load does not look at the checksums that torch.save wrote.
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        # torch.save compresses nothing: this is no file of ours, and might unpack without end.
        if any(one.compress_type for one in entries) or sum(e.file_size for e in entries) > size:
            raise zipfile.BadZipFile("larger inside than outside")
        damaged = archive.testzip()
    if damaged is not None:
        raise zipfile.BadZipFile(damaged)
    file.seek(0)
    return torch.load(file, map_location="cpu", weights_only=True)


def _torn(path: Path) -> CheckpointError:
    return CheckpointError(
        f"{path} is torn or no checkpoint at all, and nothing was loaded; name an older file, or "
        "remove it to begin anew"
    )


def missing(path: Path) -> CheckpointError:
    """Return the refusal to resume from a file that is not there."""
    if not path.parent.is_dir():
        _refuse_tilde(path, path.parent)
        what = f"there is no folder {path.parent}"
    elif path.is_symlink():
        what = f"{path} is a link to {os.path.realpath(path)}, which is not there"
    else:
        what = f"there is no {path}, and {_nearest(path)}"
    return CheckpointError(
        f"{what}; name the right file, or pass missing_ok=True to begin anew where there is none"
    )


def _nearest(path: Path) -> str:
    try:
        names = sorted(one.name for one in path.parent.iterdir() if one.is_file())
    except PermissionError:  # a folder may be open and yet not be listed
        names = []
    found = difflib.get_close_matches(path.name, names, n=1, cutoff=0)
    return f"the nearest to it is {path.parent / found[0]}" if found else "no other file beside it"
