"""`zerograd watch --recover`: report what runs had found whose watcher was killed."""

from __future__ import annotations

import shutil
from datetime import datetime
from typing import TYPE_CHECKING

from zerograd.cli.output import write_report
from zerograd.findings import Sources
from zerograd.printable import say
from zerograd.reports import View
from zerograd.reports.words import counted_findings
from zerograd.watch.gather import gather
from zerograd.watch.runs import leftovers

if TYPE_CHECKING:
    from zerograd.settings import Settings
    from zerograd.watch.runs import Leftover


def recover(settings: Settings) -> int:
    """Report every killed run once, and forget it."""
    found = leftovers()
    if not found:
        say("no killed run has left anything behind")
    for run in found:
        say(f"{title(run)}, was killed; until then:")
        results = gather(run.folder, run.watcher)
        write_report(results, settings.format, view=View(sources=Sources(run.here)))
        shutil.rmtree(run.folder, ignore_errors=True)
    return 0


def mention() -> None:
    """Say what killed runs had found and nobody has read; forget those that found nothing."""
    for run in leftovers():
        findings = gather(run.folder, run.watcher).findings
        if findings:
            say(
                f"{title(run)}, was killed and had found {counted_findings(findings)}; "
                f"`zerograd watch --recover` shows them"
            )
        else:
            shutil.rmtree(run.folder, ignore_errors=True)


def title(run: Leftover) -> str:
    """Return which run it was."""
    started = datetime.fromtimestamp(run.started).astimezone()
    return f"`{run.command}`, started {started:%Y-%m-%d %H:%M}"
