"""What happens inside the watched process: listen from torch's import on, and keep a journal."""

from __future__ import annotations

import atexit
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.watch.arrival import when_imported
from zerograd.watch.variables import FOLDER, OPTIONS

if TYPE_CHECKING:
    from zerograd.findings import Finding
    from zerograd.watch.session import Session


def begin() -> None:
    """Wait for torch, if this process was started by `zerograd watch`."""
    folder = os.environ.get(FOLDER)
    if folder is not None:
        options = json.loads(os.environ.get(OPTIONS, "{}"))
        when_imported("torch", lambda: Reporter(Path(folder), options).start())


class Reporter:
    """Writes to the journal what the session finds: at once, now and then, and at the end."""

    def __init__(self, folder: Path, options: dict[str, object]) -> None:
        # Imported here: before torch is there, nothing of ours may need it.
        from zerograd.settings import load_settings
        from zerograd.watch.journal import Journal
        from zerograd.watch.session import Session
        from zerograd.watch.stopping import Limits

        limits = Limits(fail_fast=bool(options.get("fail_fast")), max_steps=options.get("max_steps"))  # type: ignore[arg-type]  our own JSON
        settings = load_settings(Path(), isolated=True, command_line=options["settings"])  # type: ignore[arg-type]  our own JSON
        self.folder = folder
        self.journal = Journal(folder)
        self.quiet = bool(options.get("quiet"))
        self.session: Session = Session(
            settings, limits=limits, on_first=self.found, on_progress=self.snapshot
        )

    def start(self) -> None:
        """Begin to listen; whatever ends the process, the journal is there."""
        self.session.start()
        atexit.register(self.finish)
        os.register_at_fork(after_in_child=self.forked)

    def found(self, finding: Finding) -> None:
        """Say in one line what was just found, and keep it."""
        from zerograd.findings.record import to_record

        self.journal.write({"found": to_record(finding)})
        if not self.quiet:
            at, rule = finding.location, finding.rule
            line = f"zerograd: {at.path}:{at.line}: {rule.code} {rule.name}: {finding.message}\n"
            sys.stderr.write(line)

    def snapshot(self) -> None:
        """Keep everything that is known now."""
        from zerograd.findings.record import to_record
        from zerograd.watch.seen import seen_by

        self.journal.write(
            {
                "findings": [to_record(finding) for finding in self.session.findings],
                "seen": asdict(seen_by(self.session.observer)),
                "internal_error": self.session.internal_words(),
            }
        )

    def finish(self) -> None:
        """Judge what only the end shows, and close the journal."""
        from zerograd.watch.session import uncaught

        self.session.stop(uncaught())
        self.snapshot()
        self.journal.close()

    def forked(self) -> None:
        """Keep a journal of its own in a forked child, which inherits what was seen so far."""
        from zerograd.watch.journal import Journal

        self.journal = Journal(self.folder)
        self.session.begin_anew()
        if "multiprocessing.util" in sys.modules:
            # Its children end with `os._exit`, past `atexit`, but run these.
            from multiprocessing.util import Finalize

            Finalize(None, self.finish, exitpriority=0)
