"""Show paths as a reader of the report types them: from the folder in which the run began."""

from __future__ import annotations

import os
from pathlib import Path

from zerograd.system import here
from zerograd.watch.report.ipython import cell_name


class _Start:
    """Where the run began; a script may change its working directory, its lines stay there."""

    folder = here()


# By the name that a notebook gives to a cell, the name under which its source is kept.
_cells: dict[str, str] = {}


def begin_here() -> None:
    """Count paths from the present working directory."""
    _Start.folder = here()


def shown_path(path: str) -> str:
    """Return a path from where the run began if it lies below, with `/`; a cell as `In [3]`."""
    cell = cell_name(path)
    if cell is not None:
        _cells[cell] = path
        return cell
    if path.startswith("<"):
        return path
    try:
        relative = os.path.relpath(path, _Start.folder)
    except ValueError:  # another drive
        return Path(path).as_posix()
    return Path(path if relative.startswith("..") else relative).as_posix()


def absolute(path: str) -> str:
    """Return where a shown path is; what is no file keeps its name."""
    if path in _cells:
        return _cells[path]
    return path if path.startswith("<") else str(_Start.folder / path)
