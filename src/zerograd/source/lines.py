"""A line of the user's program, and the two lines that identify a call.

Torch's files, installed libraries and zerograd itself are not the user's.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

from zerograd.record import record

LIBRARIES = tuple(
    {str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "purelib", "platlib")}
)
INSTALLED = frozenset({"site-packages", "dist-packages"})
"""Folders of libraries in any prefix: a cluster's modules and `.pth` files add others to ours."""

OURSELVES = str(Path(__file__).resolve().parent.parent)


@record(frozen=True)
class Line:
    """One line of one file, with the function around it."""

    path: str
    line: int
    function: str = "<module>"


@record(frozen=True, eq=False)
class CallSite:
    """What a call came from: the innermost line of the user's, and the line that called it.

    Two lines, so that a helper `back(loss)` does not make all losses one. There is one object
    per call site: they compare by identity.
    """

    line: Line
    caller: Line | None = None


def is_users(filename: str) -> bool:
    """Whether code of this file belongs to the user: not torch's, not a library's, not ours."""
    if filename.startswith("<"):
        return filename == "<stdin>" or filename.startswith("<ipython")
    path = Path(filename).resolve()
    if not INSTALLED.isdisjoint(path.parts):
        return False
    return not str(path).startswith((OURSELVES, *LIBRARIES))
