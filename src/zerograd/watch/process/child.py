"""Run inside the watched process: start to listen when torch is imported, and keep a journal."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.watch.process.environment import FOLDER, OPTIONS
from zerograd.watch.process.torch_import import when_imported
from zerograd.watch.process.torchrun import is_torchrun

if TYPE_CHECKING:
    from zerograd.watch.process.reporter import Reporter


class _Process:
    """This process's reporter, if `zerograd watch` started it and torch was imported."""

    reporter: Reporter | None = None


def begin() -> None:
    """Wait for torch, if this process was started by `zerograd watch`."""
    folder, options = os.environ.get(FOLDER), os.environ.get(OPTIONS)
    if folder is not None and options is not None and not is_torchrun():
        from zerograd.watch.report.paths import begin_here

        begin_here()
        when_imported("torch", lambda: _report(Path(folder), options))


def is_reported() -> bool:
    """Whether `zerograd watch` says what this process finds."""
    return _Process.reporter is not None


def _report(folder: Path, options: str) -> None:
    """Start to listen; whatever goes wrong with us, the script has its torch."""
    try:
        # Imported here: before torch is there, nothing of ours may need it.
        from zerograd.watch.process.options import from_text
        from zerograd.watch.process.reporter import Reporter

        _Process.reporter = Reporter(folder, from_text(options))
        _Process.reporter.start()
    except Exception as mistake:  # a bug of ours, or an environment that was cut
        _tell(folder, mistake)


def _tell(folder: Path, mistake: Exception) -> None:
    """Write down why nothing is watched: `zerograd watch` says it at the end."""
    from zerograd.watch.process.journal import Journal

    words = f"{type(mistake).__name__}: {mistake}".partition("\n")[0]
    journal = Journal(folder)
    journal.write({"internal_error": words})
    if journal.broken is not None:
        journal.give_up()
