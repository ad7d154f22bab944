"""Refuse what others do to an engine's accounts: foreign steps, clears, clips and backwards."""

from __future__ import annotations

import math
from functools import partial
from itertools import filterfalse
from operator import attrgetter, eq, is_
from threading import get_ident
from typing import TYPE_CHECKING

from torch.nn import Module

from zerograd.engine.books import moves, opened
from zerograd.engine.call import place, where
from zerograd.engine.engine_index import at_work, by_optimizer, by_parameter, living, owners
from zerograd.engine.refusals import is_let_through, refused
from zerograd.hooks import call_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor
    from torch.optim import Optimizer

    from zerograd.engine.books import EngineBooks
    from zerograd.errors import LifecycleError

_grad = attrgetter("grad")
version_of = attrgetter("_version")
"""Torch's counter of in-place writes."""

_is_none = partial(is_, None)


class AccountSnapshot:
    """Each account's identity and version: together they show every write of torch's.

    Taken and compared at every micro-batch, so both are done in a few calls over whole lists.
    """

    __slots__ = ("_grads", "_held", "_versions", "parameters")

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self.parameters = parameters
        self._grads = list(map(_grad, parameters))
        self._held = list(filterfalse(_is_none, self._grads))
        self._versions = list(map(version_of, self._held))

    def holds(self, *, versions: bool = True) -> bool:
        """Whether all accounts are what they were."""
        # Versions first: a deposit moves the very first of them, and the rest need no look.
        return (not versions or all(map(eq, map(version_of, self._held), self._versions))) and all(
            map(is_, map(_grad, self.parameters), self._grads)
        )

    def moved(self) -> Iterator[Tensor]:
        """Yield the parameters whose account is no longer what it was."""
        known = iter(self._versions)
        for parameter, grad in zip(self.parameters, self._grads, strict=True):
            version = None if grad is None else next(known)
            if parameter.grad is not grad or (grad is not None and version_of(grad) != version):
                yield parameter


def refused_here(situation: str, books: EngineBooks, **names: object) -> LifecycleError | None:
    """Return the error with the user's line and the engine's; None where the code allows it."""
    if is_let_through(situation):
        return None
    site = call_site(0).line
    here = place(site.path, site.line)
    last = books.window.last
    before = f"; the engine's last deposit was at {where(last)}" if last is not None else ""
    lines = (here, where(last)) if last is not None else (here,)
    return refused(situation, *lines, here=here, before=before, **names)


def admit(error: LifecycleError | None, books: EngineBooks) -> None:
    """Raise what is refused; what is allowed opens the seal, for its writes are meant."""
    if error is not None:
        raise error
    books.excused = True


class Interference:
    """Listens to torch while engines live."""

    def __init__(self) -> None:
        self._before: dict[int, list[list[tuple[EngineBooks, AccountSnapshot]]]] = {}
        """By thread, a stack: a backward may run another one inside itself."""

    def step_begins(self, optimizer: Optimizer, has_closure: bool) -> None:
        """Refuse a step of an engine's optimizer that is not the engine's."""
        del has_closure
        books = by_optimizer.get(id(optimizer))
        if books is None:
            # An engine's optimizer may step others inside its own step.
            if not any(other.acting for other in list(living)):
                moves.steps += 1
                self._refuse_moved(optimizer)
            return
        if books.acting:
            return
        situation = "step-in-window" if books.window.is_open else "step-between-windows"
        admit(refused_here(situation, books, kind=type(optimizer).__name__), books)

    @staticmethod
    def _refuse_moved(optimizer: Optimizer) -> None:
        """Refuse a step of no engine's optimizer that moves parameters of an open window."""
        if not opened:
            return
        for parameter in _members(optimizer):
            books = by_parameter.get(id(parameter))
            if books is not None and books.window.deposits:
                error = refused_here(
                    "step-of-another",
                    books,
                    kind=type(optimizer).__name__,
                    parameter=books.accounts.name(parameter),
                )
                admit(error, books)
                return

    def scaler_step_begins(self, scaler: object, optimizer: Optimizer) -> None:
        """Refuse it before it unscales, which it does before it steps."""
        del scaler
        self.step_begins(optimizer, has_closure=False)

    def clear_begins(self, owner: Optimizer | Module) -> None:
        """Refuse a clear in mid-window."""
        if not opened:
            return
        owned = owner.parameters() if isinstance(owner, Module) else _members(owner)
        for books in owners(owned):
            if books.window.is_open and not books.acting:
                admit(refused_here("clear-in-window", books, deposits=_deposits(books)), books)

    def cleared(self, owner: Optimizer | Module, set_to_none: bool) -> None:
        """Remember that zeros may have been written."""
        del owner, set_to_none
        moves.foreign += 1

    def clip_begins(self, parameters: list[Tensor], limit: float | None, by_value: bool) -> None:
        """Refuse a clip in mid-window, and one that finds what the engine has cleared."""
        del by_value
        measures = limit is not None and math.isinf(limit)
        for books in owners(parameters):
            if books.acting:
                continue
            if measures:
                books.excused = True  # torch multiplies by 1, which moves the version all the same
            elif books.window.is_open:
                admit(refused_here("clip-in-window", books, deposits=_deposits(books)), books)
            elif books.window.earlier and not any(_holds(p, books) for p in parameters):
                admit(refused_here("clip-between-windows", books), books)

    def foreign_backward_begins(self) -> None:
        """Look at the open accounts before a backward that is no engine's."""
        thread = get_ident()
        accounts: list[tuple[EngineBooks, AccountSnapshot]] = []
        self._before.setdefault(thread, []).append(accounts)
        if thread in at_work:
            return  # checkpointing runs a backward inside an engine's own
        moves.foreign += 1
        # What another thread's engine deposits meanwhile is none of this backward's doing.
        own = [books for books in list(opened.values()) if books.thread == thread]
        accounts += [(books, AccountSnapshot(books.accounts.parameters)) for books in own]

    def foreign_backward_ends(self, error: BaseException | None) -> None:
        """Refuse a foreign backward that moved an open account."""
        before = self._before.get(get_ident()) or [[]]
        for books, accounts in before.pop():
            parameter = next(accounts.moved(), None)
            if parameter is None or error is not None:
                continue
            name = books.accounts.name(parameter)
            admit(refused_here("backward-in-window", books, parameter=name), books)


def _members(optimizer: Optimizer) -> Iterator[Tensor]:
    for group in optimizer.param_groups:
        yield from group["params"]


def _deposits(books: EngineBooks) -> str:
    count = books.window.deposits
    return f"{count} deposit{'s' * (count != 1)}"


def _holds(parameter: Tensor, books: EngineBooks) -> bool:
    """Whether a clip would find anything here: kept zeros of the engine's are nothing."""
    if id(parameter) in books.accounts.ids:
        return books.clearing.reached(parameter)
    return parameter.grad is not None
