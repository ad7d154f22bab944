"""Read a file that somebody else chose, without blocking and up to a limit of bytes.

A path in a tree may be a pipe, a device, a terabyte of holes, or a file of /proc that goes on
forever; and it may become one between a look at it and its opening.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
READ |= getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


LARGEST_SOURCE = 10_000_000
"""Bytes of a module that its lines are shown of."""


class NoFileError(OSError):
    """What is there is no file: a pipe, a device, a folder."""


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """Return what is in a file, one byte more than `most` if there is more; raises OSError.

    Pipes and devices are not even opened: to open some of them does something.
    """
    _refuse_others(os.stat(path))  # noqa: PTH116  for tens of thousands of files
    handle = os.open(path, READ)
    try:
        # What was a file may have become a pipe before it was opened.
        status = os.fstat(handle)
        _refuse_others(status)
        with os.fdopen(handle, "rb", closefd=False) as stream:
            # Space is taken for as much as is asked for.
            content = stream.read(min(most, status.st_size) + 1)
            if content and len(content) > status.st_size:  # it grew, or is one of /proc
                content += stream.read(most + 1 - len(content)) or b""
    finally:
        os.close(handle)
    if content is None:  # a file of /proc that has nothing yet, and would be waited for
        raise NoFileError(errno.EAGAIN, "it is no file")
    return content


def source_lines(name: str) -> list[str]:
    """Return the lines of what a code object calls its file, as a traceback would show them.

    Any text can be the name of a file in a code object: a pipe or a device has no lines. What
    Python keeps itself (a notebook's cell, a module from an archive) is not looked for in files.
    """
    # Imported here: lint reads modules by themselves, and starts without it.
    import linecache

    if name not in linecache.cache and not _is_readable(name):
        return []
    return linecache.getlines(name)


def source_line(name: str, number: int) -> str:
    """Return one of them, counted from 1; empty where there is none."""
    lines = source_lines(name)
    return lines[number - 1] if 1 <= number <= len(lines) else ""


def _is_readable(name: str) -> bool:
    """Whether `linecache` would open nothing for this name but an ordinary file."""
    for folder in ("", *sys.path):  # where it looks, in its order
        try:
            status = os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118  as it does
        except (OSError, ValueError, TypeError):
            if os.path.isabs(name):  # noqa: PTH117
                return True
            continue
        # The files of /proc that go on forever have no size.
        return stat.S_ISREG(status.st_mode) and 0 < status.st_size <= LARGEST_SOURCE
    return True


def _refuse_others(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise NoFileError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise NoFileError(errno.EINVAL, "it is no file")
