"""Find IPython, if this code runs in it: in a notebook's kernel or in its terminal."""

from __future__ import annotations

import sys
from typing import Any


def shell() -> Any:
    """Return IPython's shell, None outside of it."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def cell_name(path: str) -> str | None:
    """Return what a notebook calls the cell that was compiled under this name: `In [3]`."""
    # Private, but what IPython's own tracebacks say "Cell In[3]" by.
    names = getattr(getattr(shell(), "compile", None), "_filename_map", {})
    return f"In [{names[path]}]" if path in names else None
