"""A deposit: one backward of the engine's own, weighted, into its own accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from zerograd.engine.call import where
from zerograd.engine.engine_index import at_work, learn_anew, living
from zerograd.engine.loss_checks import refuse_reentrant
from zerograd.engine.refusals import is_let_through, refused
from zerograd.engine.set_aside import SetAside, recover
from zerograd.engine.weights import weighted
from zerograd.hooks import own_backward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from zerograd.engine.books import EngineBooks
    from zerograd.engine.weights import Weight
    from zerograd.errors import LifecycleError


WRITTEN = "grad-written-between-windows"


class EngineDeposits:
    """Runs the engine's backwards."""

    shows = True
    """Whether each deposit moves `.grad` of what it reaches."""

    def __init__(self, books: EngineBooks, *, only_own: bool, lenient: bool) -> None:
        self._books = books
        self._only_own = only_own
        self._lenient = lenient
        self._graph_known = False
        self._aside: SetAside | None = None

    def begin(self) -> None:
        """Make sure that a new window begins with empty accounts."""
        books = self._books
        parameters = books.accounts.parameters
        if books.widening is not None:
            books.widening.widen(parameters)
        left = books.clearing.leftovers(parameters)
        if not left:
            return
        meant = books.touched or books.passed or self._lenient
        if not meant and not is_let_through(WRITTEN):
            lines = (where(books.window.last),) if books.window.last else ()
            raise refused(WRITTEN, *lines, parameter=books.accounts.name(left[0]))
        if books.passed:
            learn_anew()  # another engine's backward has reached these accounts
        books.clear()

    def add(
        self, loss: Tensor, weight: Weight, retain_graph: bool | None, create_graph: bool
    ) -> None:
        """Run one backward, the accounts of other engines out of its reach."""
        books = self._books
        first = not books.window.deposits
        before, after = weight
        inputs = self._inputs(loss) if self._only_own else ()
        if books.scaler is not None:
            books.acting = True
            loss = books.scaler.scale(loss)
        aside = SetAside(books) if len(living) > 1 and not self._only_own else None
        thread = books.thread
        outer = at_work.get(thread)
        try:
            books.acting = True
            at_work[thread] = books
            if aside is not None:
                self._aside = aside
                aside.take()
            seed = torch.ones_like(loss) if before == 1 else torch.full_like(loss, before)
            if after == 1:
                own_backward(loss, seed, retain_graph, create_graph, inputs)
            else:
                with weighted(self._leaves(), after):
                    own_backward(loss, seed, retain_graph, create_graph, inputs)
        finally:
            books.acting = False
            if outer is None:
                at_work.pop(thread, None)
            else:
                at_work[thread] = outer
            if aside is not None:
                aside.put_back()
                self._aside = None
        books.deposited()
        if before:  # else it is of no items, and nothing was to arrive
            self._deposited(first=first)

    def recover(self) -> None:
        """Put back what a backward has set aside and an interrupt has kept there."""
        recover(self._books, self._aside)
        self._aside = None

    def _deposited(self, *, first: bool) -> None:
        """See that a window's first deposit reached the optimizers."""
        if first:
            _refuse_unreached(self._books)

    def _leaves(self) -> Sequence[Tensor]:
        """Return what backwards deposit into."""
        return self._books.accounts.parameters

    def _inputs(self, loss: Tensor) -> Sequence[Tensor]:
        if not self._graph_known:
            refuse_reentrant(loss, "only_own=True")
            self._graph_known = True
        return [p for p in self._books.accounts.parameters if p.requires_grad]


def _refuse_unreached(books: EngineBooks) -> None:
    """Raise if a window's first deposit reached none of the engine's parameters."""
    reached = books.clearing.reached
    for parameter in books.accounts.parameters:
        if reached(parameter):
            return
    raise unreached(books)


def unreached(books: EngineBooks) -> LifecycleError:
    """Return what is said of a loss that deposits nothing here."""
    count = len(books.accounts.parameters)
    return refused(
        "loss-reaches-nothing",
        parameters="its one parameter" if count == 1 else f"any of its {count} parameters",
        kind=type(books.accounts.optimizers[0]).__name__,
    )
