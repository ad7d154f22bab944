"""Where the engine was called from, kept as two cheap values and read only for a message."""

from __future__ import annotations

import os
from pathlib import Path
from types import CodeType

from zerograd.source.cell_magics import cell_name
from zerograd.system import here

Call = tuple[CodeType, int]
"""A code object and its instruction. A frame itself would keep the user's graph alive."""


def where(call: Call | None) -> str:
    """Return the call's place: `train.py:31`."""
    if call is None:
        return "an unknown line"
    code, instruction = call
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if number is not None and start <= instruction < end:
            line = number
    return place(code.co_filename, line)


def place(path: str, line: int) -> str:
    """Return `train.py:31`, from the working directory where that is shorter; `In [3]:2`."""
    cell = cell_name(path)
    if cell is not None:
        return f"{cell}:{line}"
    if Path(path).is_absolute() and Path(path).is_relative_to(here()):
        path = os.path.relpath(path, here())
    return f"{path}:{line}"
