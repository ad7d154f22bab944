"""Show a progress bar on stderr once a run takes long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.5
"""Seconds before anything is drawn; rich is loaded only then."""


class Bar:
    """Files done, of all; gone without a trace when the run ends."""

    def __init__(self) -> None:
        self.begin = time.monotonic()
        self.drawn: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Bar:
        """Begin to wait."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Take the bar away."""
        if self.drawn:
            self.drawn[0].stop()

    def advance(self, done: int, total: int) -> None:
        """Show how far the run is, if it is slow."""
        if self.drawn is None and time.monotonic() - self.begin > PATIENCE:
            self.drawn = start(total)
        if self.drawn:
            bar, task = self.drawn
            bar.update(task, completed=done, total=total)


def start(total: int) -> tuple[Progress, TaskID]:
    """Draw a bar."""
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task("linting", total=total)
