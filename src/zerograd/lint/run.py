"""Many files: glanced at here, analysed here or by several processes, told in one order."""

from __future__ import annotations

import gc
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zerograd.errors import ZerogradError
from zerograd.lint.check import Checker, Job
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from zerograd.lint.checked import Checked

    Progress: TypeAlias = Callable[[int, int], None]
    """Hears how many files are done, of how many."""

FEW = 24
"""Files; to start other processes for fewer takes longer than to lint them."""

CHUNK = 4
"""Files that a process takes at once; neighbours, which import the same modules."""


@record(eq=False)
class Run:
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
) -> Run:
    """Lint files, given with whether the user named them; 0 processes: as many as it pays."""
    with uncollected():
        return _lint_files(files, job, processes, progress)


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
) -> Run:
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
    return Run([checked for checked in outcomes.values() if checked])


def worthwhile(count: int) -> int:
    """Return how many processes pay for so many files."""
    if count < FEW:
        return 1
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    return min(processors or 1, count // (FEW // 2))


def analysed(paths: Sequence[str], checker: Checker, processes: int) -> Iterator[Checked]:
    """Yield the outcome of each file, in order."""
    if processes == 1:
        yield from map(checker.check, paths)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # spawn works alike on every system, and in a process that has threads.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), prepare, (checker.job,))
    try:
        with without_interrupts():
            outcomes = pool.map(check_file, paths, chunksize=CHUNK)
        yield from outcomes
    except BrokenProcessPool as error:
        raise ZerogradError(
            "a process of zerograd was ended from outside, perhaps for lack of memory; "
            "try `--jobs 1`"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach, not even while they import; it waits for us."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


CHECKERS: list[Checker] = []
"""In a process that lints for another: its one checker."""


def prepare(job: Job) -> None:
    """Make a new process ready to lint; Ctrl-C is for the one that started it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    CHECKERS.append(Checker(job))


def check_file(path: str) -> Checked:
    """Lint one file in a process made ready."""
    return CHECKERS[0].check(path)
