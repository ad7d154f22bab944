"""Find IPython, if this code runs in it: in a notebook's kernel or in its terminal."""

from __future__ import annotations

from zerograd.hooks.cell_magics import ipython_shell as shell
from zerograd.hooks.cell_magics import whole_cell

__all__ = ["cell_name", "shell"]


def cell_name(path: str) -> str | None:
    """Return what a notebook calls the cell that was compiled under this name: `In [3]`."""
    # Private, but what IPython's own tracebacks say "Cell In[3]" by.
    names = getattr(getattr(shell(), "compile", None), "_filename_map", {})
    cell = whole_cell(path)
    return f"In [{names[cell]}]" if cell in names else None
