"""Find IPython, if this code runs in it: in a notebook's kernel or in its terminal."""

from __future__ import annotations

from zerograd.source.cell_magics import cell_name
from zerograd.source.cell_magics import ipython_shell as shell

__all__ = ["cell_name", "shell"]
