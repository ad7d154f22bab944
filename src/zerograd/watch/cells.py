"""In a notebook: say after each cell what is new, instead of only when the kernel ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.watch.ipython import shell

if TYPE_CHECKING:
    from zerograd.watch.watching import Watching


class _Notebook:
    """The one stretch that a notebook's cells are watched in."""

    watching: Watching | None = None


def report_after_each(watching: Watching) -> None:
    """Report after each cell; running the cell with `zerograd.watch()` again begins anew."""
    notebook = shell()
    if notebook is None:
        return
    if _Notebook.watching is None:
        notebook.events.register("post_run_cell", _cell_ended)
    else:
        _Notebook.watching.abandon()
    _Notebook.watching = watching


def _cell_ended(result: Any) -> None:
    del result
    if _Notebook.watching is not None:
        _Notebook.watching.report_news()
