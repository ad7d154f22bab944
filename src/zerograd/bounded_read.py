"""Read a file that somebody else chose: nothing is waited for, and no more is read than was agreed.

A path in a tree may be a pipe, a device, a terabyte of holes, or a file of /proc that goes on
forever; and it may become one between a look at it and its opening.
"""

from __future__ import annotations

import errno
import os
import stat

READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
READ |= getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


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


def _refuse_others(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise NoFileError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise NoFileError(errno.EINVAL, "it is no file")
