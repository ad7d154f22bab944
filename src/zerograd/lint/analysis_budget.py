"""What an analysis may cost, counted in operations: every machine stops at the same place.

An operation is one question of name resolution, or one statement met in one state. Whatever
exceeds its share is not judged, and the reach says so; nothing is half judged.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT_OPERATIONS = 100_000
"""For one program or function, with everything that it calls; real ones took up to 11,300."""

FILE_OPERATIONS = 200_000
"""For all programs and functions of a file, and those of other files that run them.

The largest of 464 files of torch, transformers and others took 23,600.
"""

REPAIR_SYNTAX = 100_000_000
"""The same for trying out a repair: the changed file is parsed beside the file itself."""

REPAIR_OPERATIONS = 300_000
"""For trying out the repairs of a file's findings: each is an analysis of the changed file."""

ROUND_OF_CHECKS = 100
"""Operations of the rules on a function, however small, and of weighing one finding."""

OPERATION_TEXT = 20
"""Characters that take as long to parse as an operation."""

FILE_SECONDS = 20.0
"""CPU time of a file, far above what its operations take: the last guard."""

FILE_SYNTAX = 300_000_000
"""Bytes that parsing a file may take, as `source.tree_size` estimates them: a third too many."""

CALLS = 64
"""Calls within calls that are followed."""

PYTHON_STACK = 6_000
"""Python calls within calls of lint itself; three times as many levels of C must fit a stack."""

BETWEEN_LOOKS = 1_000
"""Operations between two looks at the clock: a look costs as much as an operation."""


class UnseenError(Exception):
    """A program or function that cannot be followed to its end; the text says what stopped it."""


class AnalysisCancelledError(BaseException):
    """Nobody waits for this analysis any more. No handler of errors may take it for one."""


class _Caller:
    """Who waits for the analyses of this process: one is made at a time."""

    gave_up: Callable[[], bool] | None = None


@contextmanager
def cancelled_when(gave_up: Callable[[], bool]) -> Iterator[None]:
    """Raise AnalysisCancelledError out of an analysis once `gave_up` says so."""
    _Caller.gave_up = gave_up
    try:
        yield
    finally:
        _Caller.gave_up = None


class Budget:
    """Counts operations, and stops the analysis when there are too many of them."""

    def __init__(self, limit: float = inf, told: str = "the budget", deadline: float = inf) -> None:
        self.limit, self.told, self.deadline = limit, told, deadline
        self.spent = 0
        self._next_look = min(limit, BETWEEN_LOOKS)

    def spend(self, operations: int = 1) -> None:
        """Count operations; raises UnseenError when these were too many."""
        self.spent += operations
        if self.spent > self._next_look:
            self._look()

    def _look(self) -> None:
        if self.spent > self.limit:
            raise UnseenError(f"{self.told} of {self.limit:,} operations")
        if time.thread_time() > self.deadline:
            raise UnseenError(f"the file's budget of {FILE_SECONDS:g} s of CPU time")
        if _Caller.gave_up is not None and _Caller.gave_up():
            raise AnalysisCancelledError
        self._next_look = min(self.limit, self.spent + BETWEEN_LOOKS)


def file_deadline() -> float:
    """Return the CPU time of this thread at which a file that starts now is given up."""
    return time.thread_time() + FILE_SECONDS


def root_budget(deadline: float) -> Budget:
    """Return what one program or function may cost."""
    return Budget(ROOT_OPERATIONS, "one function's budget", deadline)


def file_budget(deadline: float) -> Budget:
    """Return what a file may cost."""
    return Budget(FILE_OPERATIONS, "the file's budget", deadline)


@contextmanager
def deep_stack() -> Iterator[None]:
    """Let lint's own functions call each other deeply: 64 calls, each inside 90 blocks."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, PYTHON_STACK))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
