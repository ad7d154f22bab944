"""The accounts of other engines, kept out of a backward's reach while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.engine.books import opened
from zerograd.engine.engine_index import at_work, living

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import Tensor

    from zerograd.engine.books import EngineBooks


class SetAside:
    """The accounts of other engines of this thread: open ones, and empty ones that are reached.

    A deposit into an empty account would stay there until its engine clears it. Which engines are
    reached is learnt from the first backward; where a later one reaches another, that engine finds
    what was left and everybody learns anew.

    Engines of other threads are left alone, since they may be at work at this moment.
    """

    __slots__ = ("_books", "_elsewhere", "_held", "_own")

    def __init__(self, own: EngineBooks) -> None:
        self._own = own
        self._held: list[tuple[Tensor, Tensor | None]] = []
        self._elsewhere: list[Callable[[], None]] = []
        self._books: list[EngineBooks] = []

    def take(self) -> None:
        """Empty them; `put_back` is called also after an error in here."""
        own = self._own
        for other in _within_reach(own):
            if other is own or other.acting or other.thread != own.thread or other.is_aside:
                continue
            if not other.lock.acquire(blocking=False):
                continue  # it is being called by another thread, and no longer of this one
            self._books.append(other)
            other.is_aside = True
            self._held += [(p, p.grad) for p in other.accounts.parameters]
            if other.set_aside is not None:
                self._elsewhere.append(other.set_aside(other))
        for parameter, _ in self._held:
            parameter.grad = None

    def put_back(self) -> None:
        """Let every account hold again what it held."""
        if self._own.reaches is None:
            self._own.reaches = [other for other in self._books if _was_reached(other)]
        for parameter, grad in self._held:
            parameter.grad = grad
        while self._elsewhere:
            self._elsewhere[-1]()
            self._elsewhere.pop()
        while self._books:
            other = self._books[-1]
            other.is_aside = False
            self._books.pop()
            other.lock.release()
        self._held = []


def recover(books: EngineBooks, aside: SetAside | None) -> None:
    """Do again what ends a backward, if an interrupt has cut it short."""
    if aside is not None:
        aside.put_back()
    if at_work.get(books.thread) is books:
        del at_work[books.thread]


def _within_reach(own: EngineBooks) -> Iterable[EngineBooks]:
    if own.reaches is None:
        return list(living)  # engines of other threads come and go meanwhile
    if not opened:
        return own.reaches
    return {id(other): other for other in (*own.reaches, *opened.values())}.values()


def _was_reached(books: EngineBooks) -> bool:
    # Sums that lie elsewhere than in `.grad` do not show there.
    return books.set_aside is not None or any(
        parameter.grad is not None for parameter in books.accounts.parameters
    )
