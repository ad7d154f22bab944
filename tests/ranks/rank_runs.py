"""Functions run on several ranks at once: processes that meet through a file and share a group.

Ranks never destroy their group and never finalise their interpreter. After each collective gloo's
thread takes Python's lock to let go of the tensors; a process that tears down meanwhile joins
that thread with the lock held and hangs, or has begun to finalise and is aborted (torch 2.13).
"""

from __future__ import annotations

import faulthandler
import functools
import gc
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
from datetime import timedelta
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["numpy", "torch", "torch._dynamo"])

PATIENCE = 120.0
"""Seconds for one function on all ranks; none needs more than a few, on an idle machine."""

Answer = tuple[bool, Any]
"""What a function returned, or the traceback of what it raised."""

GRACE = 10.0
"""Seconds for the other ranks to answer when one has failed: they may wait for it forever."""


class RanksFailedError(AssertionError):
    """A rank raised, died or did not answer; the message has what each rank wrote."""


class Team:
    """Ranks that stay up between functions, in one process group of their own."""

    def __init__(self, world: int) -> None:
        self.world = world
        self._folder = tempfile.TemporaryDirectory(prefix="zerograd-ranks-")
        self._pipes: list[Connection] = []
        self._processes: list[Any] = []
        for rank in range(world):
            ours, theirs = SERVER.Pipe()
            arguments = (rank, world, self._folder.name, theirs)
            process = SERVER.Process(target=_serve, args=arguments, daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)

    @property
    def is_up(self) -> bool:
        """Whether it takes another function."""
        return bool(self._processes)

    def run(
        self, function: Callable[..., Any], *arguments: Any, patience: float = PATIENCE
    ) -> list[Any]:
        """Call a function of a module on every rank and return what each of them returned."""
        for pipe in self._pipes:
            pipe.send((function, arguments))
        answers = _answers(self._pipes, patience)
        failed = [rank for rank, answer in enumerate(answers) if answer is None or not answer[0]]
        if failed:
            raise RanksFailedError(self._end(failed, answers))
        return [answer[1] for answer in answers if answer is not None]

    def stop(self) -> None:
        """End every rank, at once."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
        self._processes, self._pipes = [], []
        self._folder.cleanup()

    def _end(self, failed: list[int], answers: list[Answer | None]) -> str:
        """Say what became of the ranks that did not return, and end all of them."""
        words = []
        for rank in failed:
            answer, process = answers[rank], self._processes[rank]
            if answer is not None:
                words.append(f"rank {rank} raised\n{answer[1]}{self._written(rank)}")
            elif not self._pipes[rank].poll():
                words.append(f"rank {rank} is stuck\n{self._stack(rank)}")
            else:  # its end of the pipe is closed; the system may not have buried it yet
                process.join()
                words.append(f"rank {rank} left with {process.exitcode}\n{self._written(rank)}")
        self.stop()
        return "\n".join(words)

    def _stack(self, rank: int) -> str:
        """Return what a rank wrote and, at its end, where it is, down to `_serve`."""
        os.kill(self._processes[rank].pid, signal.SIGUSR1)
        deadline = time.monotonic() + PATIENCE
        while " in _serve\n" not in self._written(rank) and time.monotonic() < deadline:
            time.sleep(0.1)
        return self._written(rank)

    def _written(self, rank: int) -> str:
        return (Path(self._folder.name) / f"rank-{rank}").read_text("utf-8", "replace")


@functools.cache
def _teams() -> dict[int, Team]:
    return {}


def on_ranks(
    world: int, function: Callable[..., Any], *arguments: Any, patience: float = PATIENCE
) -> list[Any]:
    """Call a function on so many ranks of a team that later tests use again."""
    teams = _teams()
    if world not in teams or not teams[world].is_up:
        teams[world] = Team(world)
    return teams[world].run(function, *arguments, patience=patience)


def _answers(pipes: list[Connection], patience: float) -> list[Answer | None]:
    """Return each rank's answer, None of those that died or are stuck."""
    answers: dict[Connection, Answer | None] = {}
    deadline = time.monotonic() + patience
    while len(answers) < len(pipes):
        missing = [pipe for pipe in pipes if pipe not in answers]
        ready = wait(missing, max(0.0, deadline - time.monotonic()))
        if not ready:
            break
        for pipe in missing:
            if pipe in ready:
                answers[pipe] = answer = _answer(pipe)
                if answer is None or not answer[0]:
                    deadline = min(deadline, time.monotonic() + GRACE)
    return [answers.get(pipe) for pipe in pipes]


def _answer(pipe: Connection) -> Answer | None:
    try:
        answer: Answer = pipe.recv()
    except (EOFError, OSError):
        return None  # the rank is dead
    return answer


def _serve(rank: int, world: int, folder: str, pipe: Connection) -> None:
    """Be one rank until the test process is gone."""
    written = os.open(Path(folder) / f"rank-{rank}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(written, stream)
    gc.freeze()  # what the server imported is nobody's garbage, nor looked through
    faulthandler.register(signal.SIGUSR1, file=sys.stderr, all_threads=True)
    _join(rank, world, folder)
    while True:
        try:
            function, arguments = pipe.recv()
        except EOFError:
            os._exit(0)
        try:
            answer = (True, function(*arguments))
        except BaseException:  # whatever it is, the test must hear of it
            answer = (False, traceback.format_exc())
        sys.stdout.flush()
        pipe.send(answer)


def _join(rank: int, world: int, folder: str) -> None:
    import torch
    import torch.distributed as dist

    # OpenMP's threads spin while they wait: on a busy machine a tiny program takes seconds.
    torch.set_num_threads(1)
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    limit = timedelta(seconds=PATIENCE)
    meeting = f"file://{folder}/store"
    dist.init_process_group("gloo", meeting, rank=rank, world_size=world, timeout=limit)
