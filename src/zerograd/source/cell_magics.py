"""Find the lines of a notebook's cell that a cell magic runs: `%%time`, `%%capture`, `%%timeit`.

IPython hands the magic the text below its line. The magic compiles that text anew, with lines
counted from 1 and under a name of its own (`<timed exec>`) or as a cell within the cell:

    In [3], line 1      %%time                  get_ipython().run_cell_magic("time", "", "for ...")
            line 2      for batch in loader:    <timed exec>, line 1

A reader knows the cell's own lines, so they are counted from its top again, and the text is kept
for code frames.
"""

from __future__ import annotations

import linecache
import sys
from typing import TYPE_CHECKING, Any

from zerograd.record import record
from zerograd.source.lines import Line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType

RUN_MAGIC = "run_cell_magic"
"""The method of IPython's shell that is called for the whole cell."""


@record(frozen=True)
class MagicBody:
    """The text below a cell magic."""

    top: CodeType
    """What the magic compiled; kept, so that the `id` of its parts stays theirs."""

    path: str
    """The name under which `linecache` has its source."""

    offset: int
    """Lines of the cell above it."""


_bodies: dict[int, MagicBody] = {}
"""By the `id` of each code object compiled from a body: its functions are called later, too."""

_cells: dict[str, str] = {}
"""By the path of a body, the path of the cell that it is part of."""


def ipython_shell() -> Any:
    """Return IPython's shell, None outside of it."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def cell_name(path: str) -> str | None:
    """Return what a notebook calls the cell that was compiled under this name: `In [3]`."""
    # Private, but what IPython's own tracebacks say "Cell In[3]" by.
    names = getattr(getattr(ipython_shell(), "compile", None), "_filename_map", {})
    cell = whole_cell(path)
    return f"In [{names[cell]}]" if cell in names else None


def whole_cell(path: str) -> str:
    """Return the path of the cell that a magic's body is part of; any other path as it is."""
    return _cells.get(path, path)


def is_magic_body(frame: FrameType) -> bool:
    """Whether a frame runs code below a cell magic."""
    return _body_of(frame) is not None


def is_top(code: CodeType) -> bool:
    """Whether this is what a magic compiled: nobody but the magic calls it."""
    body = _bodies.get(id(code))
    return body is not None and body.top is code


def magic_line(frame: FrameType, number: int) -> Line | None:
    """Return the cell's own line for a line of this frame, None where no cell magic runs it."""
    body = _body_of(frame)
    if body is None:
        return None
    code = frame.f_code
    # `%%timeit` puts the body into a function of its own.
    function = "<module>" if code is body.top else code.co_qualname
    return Line(body.path, body.offset + number, function)


def _body_of(frame: FrameType) -> MagicBody | None:
    known = _bodies.get(id(frame.f_code))
    if known is not None:
        return known
    shell = ipython_shell()
    if shell is None or frame.f_globals is not getattr(shell, "user_ns", None):
        return None
    top = frame
    above = frame.f_back
    while above is not None and above.f_code.co_name != RUN_MAGIC:
        if above.f_globals is frame.f_globals:
            top = above  # the outermost of the user's below the magic
        above = above.f_back
    # A function of an earlier cell, or a text given to `exec`, is called by the body, not in it.
    if above is None or above.f_back is None or frame.f_code not in _codes_in(top.f_code):
        return None
    return _kept(shell, top.f_code, above, above.f_back)


def _kept(shell: Any, top: CodeType, magic: FrameType, call: FrameType) -> MagicBody | None:
    """Keep the source of what this call of a magic runs, and its code objects."""
    text = magic.f_locals.get("cell")
    if not isinstance(text, str):
        return None
    within = magic_line(call, call.f_lineno)  # `%%time` below `%%capture`
    line = within or Line(call.f_code.co_filename, call.f_lineno)
    cell = whole_cell(line.path)
    path = f"<ipython-cell {cell} below line {line.line}>"
    offset = line.line + _empty_lines(text)
    source = offset * "\n" + shell.transform_cell(text)
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    _cells[path] = cell
    body = MagicBody(top, path, offset)
    _bodies.update((id(code), body) for code in _codes_in(top))
    return body


def _empty_lines(text: str) -> int:
    """Return how many lines above the first of a text IPython takes away before it compiles it."""
    begin = text[: len(text) - len(text.lstrip())]
    return begin.count("\n")


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those of the functions and classes written in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from _codes_in(constant)
