"""Lint many files, in this process or in several, and return the outcomes in the given order."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zerograd import system
from zerograd.lint.shell.check_file import Checker, Job
from zerograd.record import field, record, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from zerograd.lint.shell.checked import Checked

    Progress: TypeAlias = Callable[[int, int], None]
    """Hears how many files are done, of how many."""

FEW = 24
"""Files; to start other processes for fewer takes longer than to lint them."""


@record(eq=False)
class LintRun:
    """What all files led to, in the order in which they were given."""

    checked: list[Checked] = field(default_factory=list)

    @property
    def texts(self) -> dict[str, str]:
        """The sources of the findings as they were when they were read."""
        return {file.path: file.text for file in self.checked if file.text is not None}

    @property
    def notes(self) -> list[str]:
        """One sentence for each file that was left out."""
        return [file.note for file in self.checked if file.note]


def lint_files(
    files: Mapping[str, bool], job: Job, *, processes: int = 0, progress: Progress | None = None
) -> LintRun:
    """Lint files, given with whether the user named them; 0 processes: as many as it pays."""
    named = frozenset(path for path, is_named in files.items() if is_named)
    with uncollected():
        return _lint_files(files, replace(job, named=named), processes, progress)


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector away: it would look through every syntax tree again and again.

    Analyses take their circles apart themselves, see `Project.release`.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _lint_files(
    files: Mapping[str, bool], job: Job, processes: int, progress: Progress | None
) -> LintRun:
    checker = Checker(job)
    outcomes = {path: checker.glance(path, is_named=named) for path, named in files.items()}
    waiting = [path for path, checked in outcomes.items() if checked is None]
    outcome = analysed(waiting, checker, processes or worthwhile(len(waiting)))
    elsewhere: set[str] = set()
    for done, checked in enumerate(outcome, start=1):
        outcomes[checked.path] = checked
        elsewhere |= checked.elsewhere
        if progress:
            progress(done, len(waiting))
    # A fault may stand in a file that shows nothing by itself, and was passed over for that.
    passed_over = (elsewhere & outcomes.keys()) - set(waiting)
    outcomes.update({path: checker.check(path) for path in passed_over})
    return LintRun([checked for checked in outcomes.values() if checked])


def worthwhile(count: int) -> int:
    """Return how many processes pay for so many files."""
    if count < FEW:
        return 1
    return min(system.processors(), count // (FEW // 2))


def analysed(paths: Sequence[str], checker: Checker, processes: int) -> Iterator[Checked]:
    """Yield the outcome of each file, in order."""
    # A program that Python is embedded in does not tell how to start another Python.
    if processes == 1 or not sys.executable:
        yield from map(checker.check, paths)
        return
    # Imported here: one file, or a few, are linted without other processes.
    from zerograd.lint.shell.workers import checked_by_workers

    yield from checked_by_workers(paths, checker.job, processes)
