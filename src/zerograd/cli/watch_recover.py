"""`zerograd watch --recover`: report what runs had found whose watcher was killed."""

from __future__ import annotations

import shutil
from datetime import datetime
from typing import TYPE_CHECKING

from zerograd.cli.output import write_report
from zerograd.errors import BrokenWatchError
from zerograd.findings import Sources
from zerograd.printable import say
from zerograd.reports import View
from zerograd.reports.words import counted_findings
from zerograd.watch.process.gather_journals import together
from zerograd.watch.process.journal_reader import read_journals
from zerograd.watch.process.run_folders import leftovers

if TYPE_CHECKING:
    from zerograd.settings import Settings
    from zerograd.watch.process.run_folders import Leftover


def recover(settings: Settings) -> int:
    """Report every killed run once, and forget it; what cannot be read is said, and stays."""
    found = leftovers()
    if not found:
        say("no killed run has left anything behind")
    for run in found:
        say(f"{title(run)}, was killed; until then:")
        try:
            whole = report(run, settings)
        except BrokenWatchError as error:
            whole = True
            say(f"{error}")
        except Exception as error:
            whole = False
            say(f"{run.folder} cannot be read: {words(error)}")
        if whole:
            shutil.rmtree(run.folder, ignore_errors=True)
        else:
            say(f"{run.folder} stays for the zerograd that wrote it; else delete it")
    return 0


def report(run: Leftover, settings: Settings) -> bool:
    """Report one killed run; return whether all that it left could be read."""
    journals = read_journals(run.folder)
    results = together(run.folder, journals, run.watcher)
    write_report(results, settings.format, view=View(sources=Sources(run.here)))
    return not journals.unreadable


def mention() -> None:
    """Say what killed runs had found and nobody has read; forget those that found nothing."""
    for run in leftovers():
        try:
            journals = read_journals(run.folder)
            findings = together(run.folder, journals, run.watcher).findings
        except Exception as error:  # whatever it left, it is no reason not to start another run
            say(f"{run.folder} cannot be read: {words(error)}")
            continue
        if findings:
            say(
                f"{title(run)}, was killed and had found {counted_findings(findings)}; "
                f"`zerograd watch --recover` shows them"
            )
        elif journals.unreadable:
            say(
                f"{title(run)}, was killed and left what cannot be read; "
                f"`zerograd watch --recover` says why"
            )
        else:
            shutil.rmtree(run.folder, ignore_errors=True)


def words(error: Exception) -> str:
    """Return what is wrong, in one line."""
    return str(error).partition("\n")[0] or type(error).__name__


def title(run: Leftover) -> str:
    """Return which run it was."""
    started = datetime.fromtimestamp(run.started).astimezone()
    return f"`{run.command}`, started {started:%Y-%m-%d %H:%M}"
