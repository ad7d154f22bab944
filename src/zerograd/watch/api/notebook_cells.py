"""Report after each cell of a notebook what is new, instead of only when the kernel ends."""

from __future__ import annotations

from typing import Any

from zerograd.watch.api.watching import running
from zerograd.watch.report.ipython import shell


def report_after_each() -> None:
    """Report after each cell from now on, if there are cells."""
    notebook = shell()
    if notebook is not None and _cell_ended not in notebook.events.callbacks["post_run_cell"]:
        notebook.events.register("post_run_cell", _cell_ended)


def _cell_ended(result: Any) -> None:
    """Report what is new; running the cell with `zerograd.watch()` again replaces the first."""
    del result
    bare = [watching for watching in running() if not watching.is_inside]
    for watching in bare[:-1]:
        watching.abandon()
    for watching in bare[-1:]:
        watching.report_news()
