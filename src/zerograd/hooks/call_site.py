"""Find the user's lines above a torch call.

On the hot path only `(code, instruction)` pairs are compared; file names and line numbers are
resolved once for each call site. Frames themselves are never kept: they would keep the user's
graphs alive.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from zerograd.source.cell_magics import is_magic_body, is_top, magic_line
from zerograd.source.lines import CallSite, Line, is_users

if TYPE_CHECKING:
    from types import CodeType, FrameType


class SiteSignature(NamedTuple):
    """A call site as it is recognised when it comes again: two frames, at fixed heights."""

    height: int
    """How many frames above the one that asked."""

    code: CodeType
    instruction: int
    height_above: int = 0
    """The same of the line that called it; 0 where there is none."""

    code_above: CodeType | None = None
    instruction_above: int = 0


ANYWHERE = SiteSignature(0, (lambda: None).__code__, 0)
UNKNOWN = CallSite(Line("<unknown>", 1))

# By `id`, because hashing a code object hashes all its constants; `_codes` keeps them alive.
_sources: dict[tuple[int, int, int, int], CallSite] = {}
_codes: dict[int, tuple[CodeType, bool]] = {}


def call_site(depth: int) -> CallSite:
    """Return the user's lines above the caller of this function, from `depth` frames up.

    Where torch's own frames are always the same, skipping them costs nothing; the walk only
    begins above them. A depth too great for the stack is no error.
    """
    try:
        frame = _users(sys._getframe(depth + 1))  # noqa: SLF001  the documented way to one's callers
    except ValueError:
        frame = _users(sys._getframe(1))  # noqa: SLF001
    return _site_of(frame)


def construction_site(built: object, depth: int) -> CallSite:
    """Return the user's lines that build an object, from `depth` frames up.

    A class of the user's has lines of its own, `super().__init__(...)`: who names it is above them.
    """
    own = {
        id(code)
        for kind in type(built).__mro__
        for method in vars(kind).values()
        if (code := getattr(method, "__code__", None)) is not None
    }
    frame = _users(sys._getframe(depth + 1))  # noqa: SLF001  the documented way to one's callers
    while frame is not None and id(frame.f_code) in own:
        frame = _users(frame.f_back)
    return _site_of(frame)


def _site_of(frame: FrameType | None) -> CallSite:
    if frame is None:
        return UNKNOWN
    above = _caller(frame)
    if above is None:
        key = (id(frame.f_code), frame.f_lasti, 0, 0)
    else:
        key = (id(frame.f_code), frame.f_lasti, id(above.f_code), above.f_lasti)
    source = _sources.get(key)
    if source is None:
        source = _sources[key] = CallSite(line_of(frame), line_of(above) if above else None)
    return source


def site(height: int = 0) -> SiteSignature | None:
    """Return how to recognise the user's lines; our caller's frame is at this height."""
    found: list[Any] = []
    frame = sys._getframe(1)  # noqa: SLF001  the documented way to one's callers
    wanted = [id(users) for users in users_frames()]
    while wanted and frame is not None:
        if id(frame) == wanted[0]:
            del wanted[0]
            found += (height, frame.f_code, frame.f_lasti)
        height, frame = height + 1, frame.f_back  # type: ignore[assignment]
    if not found:
        return None
    return SiteSignature(*(found if len(found) > 3 else 2 * found))


def users_frames() -> list[FrameType]:
    """Return the user's two innermost frames; they must not be kept."""
    innermost = _users(sys._getframe(1))  # noqa: SLF001  the documented way to one's callers
    above = _caller(innermost) if innermost else None
    return [frame for frame in (innermost, above) if frame is not None]


def _caller(frame: FrameType) -> FrameType | None:
    # A module has no caller, only importers and launchers: walking through them finds nobody.
    code = frame.f_code
    return None if code.co_name == "<module>" or is_top(code) else _users(frame.f_back)


def _users(frame: FrameType | None) -> FrameType | None:
    while frame is not None:
        code = frame.f_code
        known = _codes.get(id(code))
        if known is None:
            known = _codes[id(code)] = (code, is_users_frame(frame))
        if known[1]:
            return frame
        frame = frame.f_back
    return None


def is_users_frame(frame: FrameType) -> bool:
    """Whether a frame runs the user's code."""
    return is_users(frame.f_code.co_filename) or is_magic_body(frame)


def line_of(frame: FrameType, number: int | None = None) -> Line:
    """Return the line in which a frame is, or was when an error passed through it."""
    line = frame.f_lineno if number is None else number
    code = frame.f_code
    return magic_line(frame, line) or Line(code.co_filename, line, code.co_qualname)
