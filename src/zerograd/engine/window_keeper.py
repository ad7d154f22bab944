"""Count micro-batches into windows, and close each full window with a step."""

from __future__ import annotations

from contextlib import contextmanager
from threading import get_ident
from typing import TYPE_CHECKING, Any, Protocol

import torch

from zerograd.engine.accounts import Accounts
from zerograd.engine.books import EngineBooks
from zerograd.engine.call import where
from zerograd.engine.clear import CLEARINGS
from zerograd.engine.deposit import EngineDeposits, unreached
from zerograd.engine.engine_index import by_parameter
from zerograd.engine.in_backward import InBackward
from zerograd.engine.loss_checks import refuse_divided, refuse_no_loss, refuse_scaled, scaled
from zerograd.engine.precision import Widening
from zerograd.engine.refusals import refused
from zerograd.engine.register import CLOSED, end, refuse_ended, refuse_shared
from zerograd.engine.seal import Seal
from zerograd.engine.spend import Spending
from zerograd.engine.undeclared_ddp import refuse_unnamed
from zerograd.engine.weights import EMPTY, Weights
from zerograd.engine.window import NOTHING, refuse_contradiction
from zerograd.errors import ArgumentError, AtWorkError, LifecycleError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor
    from torch.nn import Module

    from zerograd.engine.options import EngineOptions
    from zerograd.engine.step import Step
    from zerograd.engine.window import Items


class OpenMicroBatch(Protocol):
    """What is known here of a micro-batch of several backwards."""

    waits: bool

    def deposit(
        self,
        loss: Tensor,
        reduction: str | None,
        retain_graph: bool | None,
        create_graph: bool,
        *,
        more: bool,
    ) -> Step | None:
        """Deposit one of its losses."""

    def abandon(self) -> None:
        """Drop its window."""

    def refuse_items(self) -> None:
        """Say where the items of several losses belong."""


class WindowKeeper:
    """Moves one engine's accounts, and only legally."""

    runs_empty = False
    """Whether the backward of a micro-batch without items is run all the same."""

    takes_closures = True
    """Whether an optimizer may evaluate the loss as often as it likes."""

    moves_reference = True
    """Whether a window's reference may change while it is open."""

    def __init__(self, options: EngineOptions, model: Module | None) -> None:
        wide = options.accumulate_dtype
        self.options = options
        self.books = EngineBooks(
            accounts=Accounts(options.optimizers, model),
            clearing=CLEARINGS[options.clear](),
            widening=None if wide is None else Widening(wide),
            scaler=options.scaler,
            accumulate=options.accumulate,
        )
        self.deposits: EngineDeposits | InBackward
        self.spending: Spending | InBackward
        if options.step_in_backward:
            self.deposits = self.spending = InBackward(self.books, options)
        else:
            lenient = options.check == "off"
            self.deposits = EngineDeposits(self.books, only_own=options.only_own, lenient=lenient)
            self.spending = Spending(self.books, options)
        self.weights = Weights(self.books, moves_reference=self.moves_reference)
        self.seal = Seal(self.books, options.check)
        self.progress = self.books.progress
        self.windows = 0
        self.advances = True
        """Whether the window that closes next is counted, and advances the schedulers."""

        self.discarded = 0
        self.micro: OpenMicroBatch | None = None
        self._reductions: set[str] = set()
        """Reductions whose first loss was compared with its graph."""

    def refuse_unsound(self) -> None:
        """Raise for a model whose gradients are not what the engine takes them for."""
        refuse_unnamed(self.books.accounts)

    def enter(self, *, closing: bool = False) -> None:
        """Begin a call of the user's: settle what is owed and look for interference."""
        books = self.books
        books.thread = get_ident()
        if self.spending.raising is not None:
            self.spending.raising.settle()
        if books.accounts.changed():
            self.follow()
        if books.window.deposits:
            self.seal.verify(closing=closing)

    def follow(self) -> None:
        """Own what joined the optimizers, and let go of what left them."""
        books = self.books
        refuse_ended(books)
        left = books.accounts.left()
        if left and books.window.deposits:
            kinds = ", ".join(type(one).__name__ for one in books.accounts.optimizers)
            last = where(books.window.last)
            raise refused("parameter-left-in-window", kinds=kinds, last=last)
        joined = books.accounts.joined()
        refuse_shared(books, joined)
        books.accounts.read()
        for parameter in left:
            by_parameter.pop(id(parameter), None)
        books.clearing.forget(left)
        for parameter in joined:
            by_parameter[id(parameter)] = books
            # Backwards deposit into whatever requires a gradient, also before anybody owns it.
            parameter.grad = None
        if books.widening is not None:
            books.widening.release(left)
            books.widening.widen(joined)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other threads out during a call."""
        if not self.books.lock.acquire(blocking=False):
            self.wait()
        try:
            self.refuse_inside_itself()
            yield
        except AtWorkError:
            raise
        except BaseException:
            self.repair()
            raise
        finally:
            self.books.lock.release()

    def repair(self) -> None:
        """Drop what an error has left half done: Ctrl-C comes between any two instructions."""
        books, window = self.books, self.books.window
        full = books.accumulate is not None and window.micro_batches >= books.accumulate
        uncounted = self.micro is None and window.deposits != window.settled
        self.deposits.recover()
        books.acting = False
        if full or uncounted:
            self.drop()

    def wait(self) -> None:
        """Wait for the accounts to be put back, or say that another thread is inside."""
        books = self.books
        if not books.is_aside:
            raise LifecycleError(
                "another thread is inside this engine at this moment; let one thread call it at a "
                "time, or give each thread a model and an engine of its own"
            )
        books.lock.acquire()  # another engine's backward puts them back as it returns

    @property
    def is_closed(self) -> bool:
        """Whether it gave its parameters up."""
        return self.books.ended is CLOSED

    def end(self) -> None:
        """Give the parameters up for good."""
        end(self.books, CLOSED)

    def micro_batch(
        self,
        loss: Tensor,
        items: Items | None,
        reduction: str | None,
        retain_graph: bool | None,
        create_graph: bool,
    ) -> Step | None:
        """Deposit one loss as a micro-batch of its own."""
        if self.progress.driver is not None:
            self.progress.one_backward()
        reduction = reduction or self.options.reduction
        count = self.books.window.admit(items, reduction)
        if count is not NOTHING or self.runs_empty:
            self.deposit(loss, count, reduction, retain_graph, create_graph)
        return self.counted(count, items is not None, create_graph)

    def deposit(
        self,
        loss: Tensor,
        items: Items,
        reduction: str,
        retain_graph: bool | None,
        create_graph: bool,
    ) -> None:
        """Run one backward; one that raises leaves partial deposits, so its window is dropped."""
        refuse_no_loss(loss)
        books, seal = self.books, self.seal
        if reduction not in self._reductions:
            self.refuse_unsound()
            refuse_contradiction(loss, reduction)
            if self.micro is None and (books.accumulate or 1) > 1:
                refuse_divided(loss, books.accumulate or 1)
            self._reductions.add(reduction)
        if scaled.seen:
            refuse_scaled(loss, by_engine=books.scaler is not None)
        if not books.window.deposits:
            self.deposits.begin()
        weight = self.weights.weigh(loss, items, reduction)
        if books.losses is not None:
            books.losses.add(loss, weight[0] * weight[1])
        try:
            self.deposits.add(loss, weight, retain_graph, create_graph)
            if seal.put_on is not None and weight is not EMPTY and self.deposits.shows:
                self._refuse_no_deposit()
        except BaseException:
            self.drop()
            raise

    def _refuse_no_deposit(self) -> None:
        """Raise if a later deposit of the window has moved none of its accounts."""
        if self.seal.is_whole():
            raise unreached(self.books)

    def counted(self, items: Items, stated: bool, create_graph: bool) -> Step | None:
        """Count a micro-batch, and close the window if it is full or the loader's last."""
        window, accumulate = self.books.window, self.books.accumulate
        window.add(items, stated)
        self.progress.deposited = True
        if accumulate is not None and (
            window.micro_batches >= accumulate
            or (self.progress.is_last and self.options.tail == "step")
        ):
            return self.close()
        self.seal.put(create_graph=create_graph)
        return None

    def close(self) -> Step:
        """Spend the window, clear, and advance the schedulers."""
        self.books.acting = True
        try:
            step = self.spending.spend(self.windows + 1)
        except BaseException:
            self.books.acting = False
            self.drop()
            raise
        self.closed(step)
        return step

    def closed(self, step: Step) -> None:
        """Show what was spent, clear it, and begin the next window."""
        try:
            if self.options.on_step is not None:
                with torch.no_grad():
                    self.options.on_step(step)
        finally:
            self.books.acting = False
            self.windows += self.advances
            self.books.throw_away()
            self.seal.lift()
            for scheduler in self.options.schedulers if self.advances else ():
                scheduler.step()

    def drop(self) -> None:
        """Throw an open window away, and count that."""
        self.discarded += 1
        self.books.throw_away()
        self.seal.lift()

    def flush(self, tail: str) -> Step | None:
        """Do with an open window what `tail` says."""
        window = self.books.window
        if not window.is_open or tail == "carry":
            return None
        if tail == "step":
            return self.close()
        if tail == "error":
            raise refused("tail", where(window.last), shortfall=self.shortfall)
        self.drop()
        return None

    def begin_epoch(self, length: int | None, first: int) -> None:
        """Begin to draw from a loader of so many batches, from this one on."""

    def hand_out(self, index: int, *, is_last: bool) -> None:
        """Begin the next batch."""
        self.refuse_inside_micro_batch("the next batch")
        self.progress.hand_out(index, is_last=is_last)

    def end_epoch(self) -> None:
        """End it: the loader is exhausted."""

    def packed(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return a state as it is handed out."""
        return state

    def unpacked(self, state: Any) -> Any:
        """Return what `packed` was given."""
        return state

    def resumed(self, state: dict[str, Any]) -> None:
        """Take up what `packed` added."""

    @property
    def shortfall(self) -> str:
        """How far the open window is, in words."""
        done = self.books.window.micro_batches
        if self.books.accumulate is None:
            return f"inside a window of {done} micro-batch{'es' * (done != 1)}"
        return f"{done} of {self.books.accumulate} micro-batches into a window"

    def refuse_inside_itself(self) -> None:
        """Raise if the engine is at work: what is half done can neither be saved nor undone."""
        if self.books.acting:
            raise AtWorkError(
                "this engine is at work, and was called by its own on_step=, transform=, optimizer "
                "or a hook of its backward; do it when the call has returned: "
                "step = gradients.backward(loss), then `if step:`"
            )

    def refuse_inside_micro_batch(self, what: str) -> None:
        """Raise if a micro-batch is being deposited."""
        if self.micro is None:
            return
        if self.micro.waits:
            raise ArgumentError(
                f"{what} would end a micro-batch halfway: the last backward said more=True; call "
                "gradients.backward(loss) without it first, or gradients.discard()"
            )
        raise ArgumentError(
            f"{what} inside `with gradients.micro_batch()` would end a micro-batch halfway; "
            "call it after the block"
        )

    def abandon_waiting(self) -> None:
        """Give up a micro-batch that waits for its last backward."""
        if self.micro is not None and self.micro.waits:
            self.micro.abandon()
