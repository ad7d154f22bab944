"""The watched process's side of a report: a line at each first fault, and the journal."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

import torch

from zerograd.findings.record import to_record
from zerograd.printable import say
from zerograd.watch.ending import keep_interrupted, uncaught
from zerograd.watch.journal import Journal
from zerograd.watch.ranks.identity import rank_here
from zerograd.watch.seen import seen_by
from zerograd.watch.session import Session
from zerograd.watch.stopping import Limits

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.findings import Finding
    from zerograd.watch.options import Options
    from zerograd.watch.ranks.identity import Rank


class Reporter:
    """Writes to the journal what the session finds: at once, now and then, and at the end."""

    def __init__(self, folder: Path, options: Options) -> None:
        self.folder = folder
        self.quiet = options.quiet
        self.journal = Journal(folder)
        self.session = Session(
            options.settings,
            limits=Limits(fail_fast=options.fail_fast, max_steps=options.max_steps),
            on_first=self.found,
            on_progress=self.snapshot,
            on_held=self._write,
            record=options.record,
        )
        self._rank: Rank | None = None

    def start(self) -> None:
        """Begin to listen; whatever ends the process, the journal is there."""
        self.journal.write({"process": self._process()})
        self.session.start()
        atexit.register(self.finish)
        os.register_at_fork(after_in_child=self.forked)

    def found(self, finding: Finding) -> None:
        """Say in one line what was just found, and keep it."""
        self._write({"found": to_record(finding)})
        if not self.quiet and (self._rank is None or self._rank.number == 0):
            self._say(finding)

    def snapshot(self) -> None:
        """Keep everything that is known now."""
        seen = seen_by(self.session.observer)
        if self.journal.is_begun or seen.is_anything:
            self._write(
                {
                    "findings": [to_record(finding) for finding in self.session.findings],
                    "seen": asdict(seen),
                    "internal_error": self.session.internal_words(),
                }
            )
            if self.session.recorder is not None:
                self.journal.keep(self.session.recorder.history().record())

    def finish(self) -> None:
        """Judge what only the end shows, and close the journal."""
        self.session.stop(uncaught())
        self.snapshot()
        if self.journal.is_begun:
            self.journal.write(self._end())
        if self.journal.broken is not None:
            self._lament()
        self.journal.close()
        keep_interrupted()

    def _end(self) -> dict[str, object]:
        if self.session.limits.reached:
            return {"end": "enough"}
        error = uncaught() or _in_flight()
        return {"end": "whole", "raised": None if error is None else type(error).__name__}

    def forked(self) -> None:
        """Keep a journal of its own in a forked child, which inherits what was seen so far.

        The journal begins with the first thing seen: the workers of a loader train nothing.
        """
        self.journal = Journal(self.folder)
        self._rank = None
        self.session.begin_anew()
        if "multiprocessing.util" in sys.modules:
            # Its children end with `os._exit`, past `atexit`, but run finalizers: those that are
            # made after it has cleared its parent's.
            from multiprocessing.util import Finalize, register_after_fork

            register_after_fork(
                self, lambda reporter: Finalize(None, reporter.finish, exitpriority=0)
            )

    def _write(self, record: dict[str, object]) -> None:
        if not self.journal.is_begun:
            self.journal.write({"process": self._process()})
        if self._rank is None:
            self._rank = rank_here()
            if self._rank is not None:
                self.journal.write({"rank": asdict(self._rank)})
        self.journal.write(record)

    def _process(self) -> dict[str, object]:
        multiprocessing = sys.modules.get("multiprocessing")
        name = multiprocessing.current_process().name if multiprocessing else "MainProcess"
        return {"name": name, "parent": os.getppid(), "torch": str(torch.__version__)}

    def _say(self, finding: Finding) -> None:
        at, rule = finding.location, finding.rule
        with suppress(OSError, ValueError):  # a script may close its stderr
            say(f"{at.path}:{at.line}: {rule.code} {rule.name}: {finding.message}")

    def _lament(self) -> None:
        """Say what the journal could not keep, in the only place that is left."""
        with suppress(OSError, ValueError):
            say(f"the journal could not be kept: {self.journal.broken}")
        for finding in self.session.findings:
            self._say(finding)


def _in_flight() -> BaseException | None:
    """Return what ends a child of multiprocessing, whose finalizers run while it is raised."""
    error = sys.exception()
    if not isinstance(error, SystemExit):
        return error
    # torch.multiprocessing sends its parent what was raised, and leaves by `sys.exit(1)`.
    return error.__context__ if error.code else None
