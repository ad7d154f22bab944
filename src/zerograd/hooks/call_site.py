"""Whose line is it: the user's frames above a torch call, cheaply.

On the hot path only `(code, instruction)` pairs are compared; file names and line numbers are
resolved once per call site. Frames themselves are never kept: they would keep the user's graphs.
"""

from __future__ import annotations

import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, FrameType

LIBRARIES = tuple(
    {str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "purelib", "platlib")}
)
OURSELVES = str(Path(__file__).resolve().parent.parent)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one file, with the function around it."""

    path: str
    line: int
    function: str = "<module>"


@dataclass(frozen=True, slots=True)
class Source:
    """What a call came from: the innermost line of the user's, and the line that called it.

    Two lines, so that a helper `back(loss)` does not make all losses one.
    """

    line: Line
    caller: Line | None = None


UNKNOWN = Source(Line("<unknown>", 1))

_Key = tuple["CodeType", int, "CodeType | None", int]
_sources: dict[_Key, Source] = {}


def call_site(depth: int) -> Source:
    """Return the user's lines above the function that calls this one, from `depth` frames up.

    `depth` counts from the caller: where torch's own frames are always the same, skipping them
    costs nothing; the walk only begins above them.
    """
    frame = _users(_frame_at(depth + 1))
    if frame is None:
        return UNKNOWN
    above = _users(frame.f_back)
    key: _Key = (
        frame.f_code,
        frame.f_lasti,
        above.f_code if above else None,
        above.f_lasti if above else -1,
    )
    source = _sources.get(key)
    if source is None:
        source = _sources[key] = Source(_line_of(frame), _line_of(above) if above else None)
    return source


def _frame_at(depth: int) -> FrameType | None:
    try:
        return sys._getframe(depth + 1)  # noqa: SLF001  the documented way to one's callers
    except ValueError:  # the stack is shallower: a thread's or a hook's
        return sys._getframe(1)  # noqa: SLF001


def _users(frame: FrameType | None) -> FrameType | None:
    while frame is not None and not is_users(frame.f_code):
        frame = frame.f_back
    return frame


@cache
def is_users(code: CodeType) -> bool:
    """Whether this code belongs to the user: not torch's, not a library's, not ours."""
    name = code.co_filename
    if name.startswith("<") and not name.startswith("<ipython"):
        return name == "<stdin>"
    path = str(Path(name).resolve())
    return not path.startswith(OURSELVES) and not path.startswith(LIBRARIES)


def _line_of(frame: FrameType) -> Line:
    return Line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname)
