"""Write what the session finds to the journal, and print a line at each first fault."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from zerograd.findings.record import to_record
from zerograd.hooks import torch_parts as capabilities
from zerograd.hooks.guard import guarded
from zerograd.hooks.patch_kinds import Attribute
from zerograd.printable import say
from zerograd.record import values_of
from zerograd.system import changes_of_rights, in_forked_children
from zerograd.watch.process.journal import Journal
from zerograd.watch.process.script_end import keep_interrupted, uncaught
from zerograd.watch.process.session import Session
from zerograd.watch.process.stopping import Limits
from zerograd.watch.ranks.identity import rank_here
from zerograd.watch.report.early_notices import EarlyNotices
from zerograd.watch.report.run_summary import seen_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.findings import Finding
    from zerograd.watch.process.options import ProcessOptions
    from zerograd.watch.ranks.identity import Rank

STDERR = 2


class Reporter:
    """Writes to the journal what the session finds: at once, now and then, and at the end."""

    def __init__(self, folder: Path, options: ProcessOptions) -> None:
        self.folder = folder
        self.quiet = options.quiet
        self.journal = Journal(folder)
        self.session = Session(
            options.settings,
            limits=Limits(fail_fast=options.fail_fast, max_steps=options.max_steps),
            on_first=self.found,
            on_progress=self._progress,
            on_held=self._write,
            on_broken=self._broke,
            on_proof=self._proved if options.prove else None,
            record=options.record,
            refresh=options.refresh,
        )
        self._rank: Rank | None = None
        self._noted = False
        """Whether the journal says by which call the rest may be lost."""
        self._notices = EarlyNotices(self._say)
        self._stderr = _identity(STDERR)
        # The others of the family, `execvp` and so on, call one of these two.
        self._ends = [Attribute(os, name, self._telling) for name in ("execv", "execve")]
        # After these a process may no longer reach its journal, and could not even say so.
        rights = changes_of_rights()
        self._ends += [Attribute(os, name, self._telling_of_rights) for name in rights]
        self._leave = guarded(self._leaves, self.session.fail)
        self._cut_off = guarded(self._is_cut_off, self.session.fail)
        self._end = guarded(self._finish, self.session.fail)
        self._begin_anew = guarded(self._forked, self.session.fail)
        self._begin = guarded(self._start, self.session.fail)

    def start(self) -> None:
        """Begin to listen; whatever ends the process, the journal is there."""
        self._begin()

    def _start(self) -> None:
        self.journal.write({"process": self._process()})
        atexit.register(self.finish)
        self.session.start()
        if self.session.running:
            for patch in self._ends:
                patch.install()
            in_forked_children(self.forked)

    def found(self, finding: Finding) -> None:
        """Keep what was just found, and say it in one line if the run is a long one."""
        self._write({"found": to_record(finding)})
        if not self.quiet and (self._rank is None or self._rank.number == 0):
            self._notices.found(finding)

    def _progress(self) -> None:
        self._notices.progress()
        self.snapshot()

    def _proved(self, proof: dict[str, object]) -> None:
        """Keep how a window compares with its batch."""
        self._write({"proof": proof})

    def snapshot(self) -> None:
        """Keep everything that is known now."""
        seen = seen_by(self.session.fast_path)
        if self.journal.is_begun or seen.is_anything:
            self._write(
                {
                    "findings": [to_record(finding) for finding in self.session.findings],
                    "seen": values_of(seen),
                    "internal_error": self.session.internal_words(),
                    "unheard": capabilities.unheard(),
                }
            )
            if self.session.recorder is not None:
                self.journal.keep(self.session.recorder.history().record())

    def finish(self) -> None:
        """Judge what only the end shows, and write down how it ended."""
        self._end()
        if self.journal.broken is not None and not self.journal.give_up():
            self._say_lost()
        keep_interrupted()

    def _finish(self) -> None:
        for patch in self._ends:
            patch.remove()
        self.session.stop(uncaught())
        self.snapshot()
        if self.journal.is_begun:
            self.journal.write(self._ending())

    def _ending(self) -> dict[str, object]:
        if self.session.limits.reached:
            return {"end": "enough"}
        error = uncaught() or _in_flight()
        return {"end": "whole", "raised": None if error is None else type(error).__name__}

    def forked(self) -> None:
        """Keep a journal of its own in a forked child, which inherits what was seen so far.

        The journal begins with the first thing seen: the workers of a loader train nothing.
        """
        self._begin_anew()

    def _forked(self) -> None:
        self.journal = Journal(self.folder)
        self._rank = None
        self._noted = False
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
                self.journal.write({"rank": values_of(self._rank)})
        self.journal.write(record)

    def _process(self) -> dict[str, object]:
        multiprocessing = sys.modules.get("multiprocessing")
        name = multiprocessing.current_process().name if multiprocessing else "MainProcess"
        return {"name": name, "parent": os.getppid(), "torch": str(torch.__version__)}

    def _broke(self) -> None:
        """Take every patch away, and tell the reader of the journal why."""
        for patch in self._ends:
            patch.remove()
        self._write({"internal_error": self.session.internal_words()})

    def _telling(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap `os.execv` and `os.execve`, which end this program and not its process."""

        @wraps(original)
        def execute(path: Any, argv: Any, *args: Any, **kwargs: Any) -> Any:
            self._leave(argv)
            try:
                return original(path, argv, *args, **kwargs)
            finally:
                self._leave(None)  # not reached but by an error: the program goes on

        return execute

    def _leaves(self, argv: Any) -> None:
        """Keep everything that is known, and what the program becomes; None if it stays."""
        if argv is not None:
            self.snapshot()
        if self.journal.is_begun:  # else a child that was forked to become another program
            self._write({"exec": None if argv is None else _command(argv)})

    def _telling_of_rights(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a call after which the journal may be out of reach."""

        @wraps(original)
        def give_up_rights(*args: Any, **kwargs: Any) -> Any:
            self._cut_off(f"os.{original.__name__}")
            try:
                return original(*args, **kwargs)
            finally:
                self._cut_off(None)  # if this can be written, nothing is out of reach

        return give_up_rights

    def _is_cut_off(self, call: str | None) -> None:
        """Keep everything that is known, and by which call the rest may be lost; None if not."""
        if self.journal.is_begun:  # else a child that was forked to become another program
            if call is not None:
                self.snapshot()
            self._write({"cut_off": call})
            self._noted = self._noted or (call is not None and self.journal.broken is None)

    def _say_lost(self) -> None:
        """Say ourselves what `zerograd watch` cannot know."""
        if not self._noted and self.journal.broken is not None:
            why = self.journal.broken.strerror
            with suppress(Exception):
                if self._is_still_stderr():
                    say(f"what watch found in process {os.getpid()} is lost: {why}")

    def _say(self, finding: Finding) -> None:
        at, rule = finding.location, finding.rule
        with suppress(Exception):  # a script may close its stderr, or put anything in its place
            if self._is_still_stderr():
                say(f"{at.path}:{at.line}: {rule.code} {rule.name}: {finding.message}")

    def _is_still_stderr(self) -> bool:
        """Whether a line for stderr would not end up in a file that the script has opened."""
        try:
            number = sys.stderr.fileno()
        except (AttributeError, OSError, ValueError):
            return True  # an object of the script's own, which is there to be written to
        return number != STDERR or _identity(STDERR) == self._stderr


def _identity(number: int) -> tuple[int, int] | None:
    """Return which file a descriptor leads to, if it is open."""
    try:
        file = os.fstat(number)
    except OSError:
        return None
    return file.st_dev, file.st_ino


def _command(argv: Any) -> str:
    """Return a command as people type it: of Python, what it runs."""
    words = [os.fsdecode(word) for word in argv]
    first, *rest = words or [""]
    named = Path(first).name
    return " ".join(rest if rest and named.startswith("python") else [named, *rest])


def _in_flight() -> BaseException | None:
    """Return what ends a child of multiprocessing, whose finalizers run while it is raised."""
    error = sys.exception()
    if not isinstance(error, SystemExit):
        return error
    # torch.multiprocessing sends its parent what was raised, and leaves by `sys.exit(1)`.
    return error.__context__ if error.code else None
