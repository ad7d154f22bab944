"""Other processes that lint files for this one, started so that they import only our own modules.

`multiprocessing` is not used: it starts `python -c` with the working directory on `sys.path`, where
a linted tree may keep a `multiprocessing.py`, and it runs the starting program's own file again.
These processes begin isolated (`-I`: no working directory, no PYTHONPATH or other variable) and
without `site` (`-S`: no sitecustomize, no .pth file). They find the standard library, and after it
the folder that zerograd itself was imported from.
"""

from __future__ import annotations

import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING, BinaryIO

import zerograd
from zerograd import system
from zerograd.errors import ZerogradError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from zerograd.lint.shell.check_file import Job
    from zerograd.lint.shell.checked import Checked

CHUNK = 4
"""Files that a process takes at once; neighbours, which import the same modules."""

BEGIN = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from zerograd.lint.shell.workers import serve; serve()"
)


def checked_by_workers(paths: Sequence[str], job: Job, processes: int) -> Iterator[Checked]:
    """Yield the outcome of each file, in order."""
    chunks = [paths[start : start + CHUNK] for start in range(0, len(paths), CHUNK)]
    with without_interrupts():
        workers = [Worker(job) for _ in range(processes)]
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def check(chunk: Sequence[str]) -> list[Checked]:
        worker = idle.get()
        try:
            return worker.check(chunk)
        finally:
            idle.put(worker)

    # A thread for each process, only to wait for it.
    threads = ThreadPoolExecutor(processes)
    try:
        for outcomes in threads.map(check, chunks):
            yield from outcomes
    finally:
        # Killed, they end what the threads wait for: Ctrl-C is answered at once.
        for worker in workers:
            worker.process.kill()
        threads.shutdown(wait=True, cancel_futures=True)
        for worker in workers:
            worker.end()


class Worker:
    """One process, and the two pipes through which it is given paths and answers."""

    def __init__(self, job: Job) -> None:
        self.job: Job | None = job
        """What it lints with, until it was told."""

        self.process = Popen(command(), stdin=PIPE, stdout=PIPE)

    def check(self, paths: Sequence[str]) -> list[Checked]:
        """Return the outcomes of these files."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            if self.job is not None:
                pickle.dump(self.job, self.process.stdin)
                self.job = None
            pickle.dump(paths, self.process.stdin)
            self.process.stdin.flush()
            outcomes: list[Checked] = pickle.load(self.process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise ZerogradError(
                "a process of zerograd was ended from outside, perhaps for lack of memory; "
                "try `--jobs 1`"
            ) from error
        return outcomes

    def end(self) -> None:
        """Leave neither the process nor its pipes behind."""
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:  # what was not sent goes nowhere
                continue


def command() -> list[str]:
    """Return how another process is started; -I drops the variables that these options repeat."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(zerograd.__file__)))  # noqa: PTH100, PTH120
    options = ["-X", f"utf8={sys.flags.utf8_mode}"]
    if sys.dont_write_bytecode:
        options.append("-B")
    if sys.pycache_prefix is not None:
        options += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    return [sys.executable, "-I", "-S", *options, "-c", BEGIN, home]


def without_interrupts() -> AbstractContextManager[None]:
    """Start processes that Ctrl-C does not reach, not even while they import; it waits for us."""
    return system.delayed("SIGINT")


def serve() -> None:
    """In the other process: lint what is asked for until the asking process ends."""
    import gc

    from zerograd.lint.shell.check_file import Checker

    system.ignore_interrupts()
    gc.disable()
    questions, answers = sys.stdin.buffer, private_output()
    checker = Checker(pickle.load(questions))
    while True:
        try:
            paths: Sequence[str] = pickle.load(questions)
        except EOFError:
            return
        pickle.dump([checker.check(path) for path in paths], answers)
        answers.flush()


def private_output() -> BinaryIO:
    """Return standard output for the answers alone; whatever else is printed goes to stderr."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers
