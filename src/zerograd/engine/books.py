"""An engine's books, and the register of all living engines' books.

The register holds books, never engines: an engine that nobody uses any more dies at once, and
its books are taken out when it does.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from threading import get_ident
from typing import TYPE_CHECKING

from zerograd.engine.window import Window
from zerograd.errors import ArgumentError, LifecycleError

if TYPE_CHECKING:
    from torch import Tensor
    from torch.amp import GradScaler

    from zerograd.engine.accounts import Accounts
    from zerograd.engine.clear import Clearing
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

    driven: bool = False
    """A `batches()` draws for it."""

    manual: bool = False
    """`accumulate=None`: its window is closed by hand."""

    thread: int = field(default_factory=get_ident)

    def throw_away(self) -> None:
        """Clear the accounts and begin the next window."""
        if self.widening is not None:
            self.widening.empty(self.accounts.parameters)
        self.clearing.clear(self.accounts.parameters)
        self.window.close()


living: list[Books] = []
"""The books of every living engine."""


def enrol(engine: object, books: Books) -> None:
    """Enter an engine's books until the engine dies."""
    refuse_shared(books)
    living.append(books)
    # At exit torch may be half gone; there is nobody left to protect.
    weakref.finalize(engine, _leave, books).atexit = False


def _leave(books: Books) -> None:
    from zerograd.engine.interference import stand_down

    living.remove(books)
    books.clearing.release(books.accounts.parameters)
    if books.widening is not None:
        books.widening.release(books.accounts.parameters)
    if not living:
        stand_down()


def refuse_shared(books: Books) -> None:
    """Refuse a parameter or a scaler that another engine owns."""
    for other in living:
        if other is books:
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


class SetAside:
    """The accounts of other engines, out of a backward's reach while it runs.

    Empty accounts too: a deposit into one of them would be spent by its own engine later.
    Engines of other threads are left alone, since they may be at work at this moment.
    """

    __slots__ = ("_held",)

    def __init__(self, own: Books) -> None:
        self._held: list[tuple[Tensor, Tensor | None]] = []
        for other in living:
            if other is not own and not other.acting and other.thread == own.thread:
                self._held += [(p, p.grad) for p in other.accounts.parameters]
        for parameter, _ in self._held:
            parameter.grad = None

    def put_back(self) -> None:
        """Let every account hold again what it held."""
        for parameter, grad in self._held:
            if grad is None:
                parameter.grad = None
            else:
                parameter.grad = grad
