"""An engine's books, and how they are kept apart from other engines' books."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import get_ident
from typing import TYPE_CHECKING

from zerograd.engine.progress import Progress
from zerograd.engine.window import Window
from zerograd.errors import ArgumentError, LifecycleError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor
    from torch.amp import GradScaler

    from zerograd.engine.accounts import Accounts
    from zerograd.engine.clear import Clearing
    from zerograd.engine.losses import Losses
    from zerograd.engine.precision import Widening


@dataclass(slots=True, eq=False)
class Books:
    """What an engine owns and what it has done so far."""

    accounts: Accounts
    clearing: Clearing
    widening: Widening | None = None
    scaler: GradScaler | None = None
    window: Window = field(default_factory=Window)
    acting: bool = False
    """The engine itself is at work: what torch does now is its doing."""

    touched: bool = True
    """A foreign backward or clear may have run since the engine's last call."""

    excused: bool = False
    """A move of others was allowed in this window: its accounts need not be as they were left."""

    others_stepped: bool = False
    """An optimizer that is no engine's stepped since this was last set back."""

    retired: bool = False
    """A later engine over the same optimizers took its place."""

    accumulate: int | None = 1
    """How many micro-batches close a window; None when it is closed by hand."""

    progress: Progress = field(default_factory=Progress)
    """Where it stands in its data."""

    losses: Losses | None = None
    """Collects while a closure is evaluated."""

    set_aside: Callable[[Books], Callable[[], None]] | None = None
    """Takes sums that `.grad` alone does not hold out of reach, and returns what puts them back."""

    thread: int = field(default_factory=get_ident)

    def clear(self) -> None:
        """Empty the accounts."""
        if self.widening is not None:
            self.widening.empty(self.accounts.parameters)
        self.clearing.clear(self.accounts.parameters)

    def throw_away(self) -> None:
        """Empty the accounts and begin the next window."""
        self.clear()
        self.window.close()

    def retire(self) -> None:
        """Give the accounts up to a later engine."""
        self.release()
        self.retired = True
        self.accounts.forget()

    def release(self) -> None:
        """Leave the parameters as the engine found them."""
        self.clearing.release(self.accounts.parameters)
        if self.widening is not None:
            self.widening.release(self.accounts.parameters)


living: list[Books] = []
"""The books of every living engine."""


def refuse_shared(books: Books, *, except_for: Sequence[Books] = ()) -> None:
    """Refuse a parameter or a scaler that another engine owns."""
    refuse_retired(books)
    for other in living:
        if other is books or any(other is earlier for earlier in except_for):
            continue
        shared = other.accounts.ids & books.accounts.ids
        if shared:
            parameter = next(p for p in books.accounts.parameters if id(p) in shared)
            raise LifecycleError(
                f"shared-parameter: {books.accounts.name(parameter)} already belongs to another "
                "engine; give both optimizers to one: zerograd.Gradients([first, second])",
                code="ZG307",
            )
        if books.scaler is not None and other.scaler is books.scaler:
            raise ArgumentError(
                "this scaler already belongs to another engine, and two windows under one scale "
                "spend wrong sums; give each engine a torch.amp.GradScaler of its own"
            )


def refuse_retired(books: Books) -> None:
    """Refuse an engine whose optimizers belong to a later one."""
    if books.retired:
        books.accounts.forget()
        raise LifecycleError(
            "shared-parameter: a later engine over the same optimizer took this one's place; use "
            "the later one",
            code="ZG307",
        )


class SetAside:
    """The accounts of other engines, out of a backward's reach while it runs.

    Empty accounts too: a deposit into one of them would be spent by its own engine later.
    Engines of other threads are left alone, since they may be at work at this moment.
    """

    __slots__ = ("_elsewhere", "_held")

    def __init__(self, own: Books) -> None:
        self._held: list[tuple[Tensor, Tensor | None]] = []
        self._elsewhere: list[Callable[[], None]] = []
        for other in living:
            if other is not own and not other.acting and other.thread == own.thread:
                self._held += [(p, p.grad) for p in other.accounts.parameters]
                if other.set_aside is not None:
                    self._elsewhere.append(other.set_aside(other))
        for parameter, _ in self._held:
            parameter.grad = None

    def put_back(self) -> None:
        """Let every account hold again what it held."""
        for parameter, grad in self._held:
            if grad is None:
                parameter.grad = None
            else:
                parameter.grad = grad
        for put_back in self._elsewhere:
            put_back()
