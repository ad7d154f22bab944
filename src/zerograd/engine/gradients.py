"""`zerograd.Gradients`: the engine's face."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, Never

from zerograd.engine.arguments import (
    CHOICES,
    checked,
    checked_accumulate,
    refuse_misspelt,
)
from zerograd.engine.batches import Batches
from zerograd.engine.call import where
from zerograd.engine.closure import nothing_to_spend, spend_with, step_with
from zerograd.engine.describe import described
from zerograd.engine.micro_batch import MicroBatch
from zerograd.engine.ranks.recognise import keeper_of
from zerograd.engine.refusals import refused
from zerograd.engine.register import enrol
from zerograd.engine.state import load, save
from zerograd.errors import ArgumentError, AtWorkError, OpenWindowWarning
from zerograd.hooks import hidden_from_dynamo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from os import PathLike

    import torch
    from torch import Tensor
    from torch.amp import GradScaler
    from torch.nn import Module
    from torch.optim import Optimizer
    from torch.utils.tensorboard import SummaryWriter

    from zerograd.engine.options import EngineOptions
    from zerograd.engine.recording import Recording
    from zerograd.engine.step import Step
    from zerograd.engine.tracking import WindowTracking
    from zerograd.engine.window import Items
    from zerograd.history import Tracker


DEPOSITING = ("items", "reduction", "more", "retain_graph", "create_graph")
"""The arguments of `backward`, beside the loss."""


class Gradients:
    """Owns the gradients of one or several optimizers, from backward to clear.

    The whole of it in three lines, with no zero_grad and no step of your own:

    >>> gradients = zerograd.Gradients(optimizer)
    >>> for inputs, targets in loader:
    ...     loss = criterion(model(inputs), targets)
    ...     gradients.backward(loss)

    `batches()` is only for what a loader has to tell: that an unfinished window is its last, and
    how many windows other ranks have. Here every fourth micro-batch and the last one step:

    >>> gradients = zerograd.Gradients(optimizer, accumulate=4, clip_norm=1.0)
    >>> for inputs, targets in gradients.batches(loader):
    ...     loss = criterion(model(inputs), targets)
    ...     gradients.backward(loss, items=len(targets))

    accumulate        micro-batches that close a window; None: `step()` closes it
    clip_norm         one joint limit, or one for each optimizer; 0.0 and None: no clip, inf:
                      only measured
    scaler            a torch.amp.GradScaler of this engine's own
    scheduler         one or several, advanced at every closed window
    reduction         whether losses are the "mean" or the "sum" over their items
    tail              an unfinished last window: "step", "carry", "drop" or "error"
    model             names parameters in messages; a DDP or FSDP2 model is trained over its ranks
    on_step           called with the Step, before the clear, under torch.no_grad()

    Rare:

    transform         called with the parameters, true gradients in `.grad`, before the clip, under
                      torch.no_grad()
    nonfinite         inf and NaN: "propagate", "skip" or "raise"
    clip_value        a limit for every element
    accumulate_dtype  torch.float32: sum 16-bit gradients in fp32, round once
    clear             "none", or "zero" (in place)
    only_own          compute no gradients but this engine's
    step_in_backward  step each parameter when its gradient is complete, and free it: saves one
                      set of gradients less the largest, costs 1.7x on tiny models
    separable         says that a foreign optimizer may be stepped so
    check             writes to `.grad` and to weights from outside are looked for at each
                      "micro-batch", at each "step" (`.grad` alone), or "off"; writes through
                      `.data` and numpy are out of reach
    record            True: keep what `report("run.html")` draws; a SummaryWriter of
                      torch.utils.tensorboard: write scalars too. Reads the host at each step
    track             called at each closed window with its number and a dict of scalars: norm,
                      clipped, skipped, micro_batches, items; on their device until they are read
    sync              ranks reduce once a "window", or at each "micro-batch", to keep fewer
                      gradients; "shards": inside each replica of shards at each, across replicas
                      once a window
    comm_hook_averages  says that a comm hook of your own leaves an average
    """

    def __init__(
        self,
        optimizers: Optimizer | Iterable[Optimizer],
        *,
        accumulate: int | None = 1,
        clip_norm: float | Sequence[float] | None = None,
        scaler: GradScaler | None = None,
        scheduler: Any = None,
        reduction: str = "mean",
        tail: str = "step",
        model: Module | None = None,
        sync: str = "window",
        nonfinite: str = "propagate",
        clip_value: float | None = None,
        accumulate_dtype: torch.dtype | None = None,
        clear: str = "none",
        only_own: bool = False,
        step_in_backward: bool = False,
        separable: bool = False,
        transform: Callable[[list[Tensor]], object] | None = None,
        on_step: Callable[[Step], object] | None = None,
        check: str = "auto",
        comm_hook_averages: bool = False,
        record: bool | SummaryWriter = False,
        track: Tracker | None = None,
        **misspelt: Never,
    ) -> None:
        arguments = dict(locals())
        options = checked(optimizers, arguments)
        self._tracking = tracking_of(options, track)
        if self._tracking is not None:
            options = self._tracking.listening(options)
        self._recording = recording_of(options, record)
        if self._recording is not None:
            options = self._recording.listening(options)
        self._keeper = keeper_of(options, model)
        if self._recording is not None:
            self._recording.begin(self._keeper.books)
        if self._tracking is not None:
            self._tracking.begin(self._keeper)
        enrol(self, self._keeper.books)

    def backward(
        self,
        loss: Tensor,
        *,
        items: Items | None = None,
        reduction: str | None = None,
        more: bool = False,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        **misspelt: Never,
    ) -> Step | None:
        """Deposit a loss; the micro-batch that completes a window steps before this returns.

        `items` is how many things the loss is over, `reduction` whether it is their mean or sum.
        more=True: further losses of this same micro-batch follow, the last one without it.
        """
        if misspelt:
            refuse_misspelt("backward", misspelt, DEPOSITING)
        keeper = self._keeper
        books = keeper.books
        lock = books.lock
        if not lock.acquire(False):  # inlined, as every call here counts on a tiny model
            keeper.wait()
        try:
            if books.acting:
                keeper.refuse_inside_itself()
            keeper.enter()
            frame = sys._getframe(1)  # noqa: SLF001  the documented way to one's callers
            books.window.last = (frame.f_code, frame.f_lasti)
            if reduction is not None and reduction not in CHOICES["reduction"]:
                refuse_reduction(reduction)
            micro = keeper.micro
            if micro is None:
                if not more:
                    return keeper.micro_batch(loss, items, reduction, retain_graph, create_graph)
                micro = MicroBatch(keeper, items, waits=True).__enter__()
            elif items is not None:
                micro.refuse_items()
            return micro.deposit(loss, reduction, retain_graph, create_graph, more=more)
        except AtWorkError:
            raise
        except BaseException:
            keeper.repair()
            raise
        finally:
            lock.release()

    def micro_batch(self, items: Items | None = None) -> MicroBatch:
        """Make one micro-batch of all the backwards inside `with gradients.micro_batch(items):`."""
        return MicroBatch(self._keeper, items)

    def batches(self, loader: Iterable[Any]) -> Batches:
        """Hand out a loader's batches, so that the last one closes its window."""
        return Batches(loader, [self._keeper])

    def step(self, closure: Callable[[], object] | None = None) -> Step:
        """Close the open window now, or step an optimizer that evaluates a closure."""
        keeper = self._keeper
        with keeper.alone():
            keeper.enter(closing=True)
            keeper.refuse_inside_micro_batch("step()")
            if closure is not None:
                return step_with(keeper, closure)
            if not keeper.books.window.is_open:
                raise nothing_to_spend(keeper, "step()")
            return keeper.close()

    def spend(self, move: Callable[[], object], *, advance: bool = True) -> Step:
        """Close the open window with a call of yours instead of `optimizer.step()`.

        `move` finds the finished gradient in `.grad`: the mean over all items, clipped. With
        advance=False it is no step of the run: an ascent of SAM's.

        >>> gradients.spend(optimizer.first_step, advance=False)
        """
        keeper = self._keeper
        with keeper.alone():
            keeper.enter(closing=True)
            keeper.refuse_inside_micro_batch("spend()")
            return spend_with(keeper, move, advance=advance)

    def flush(self, tail: str | None = None) -> Step | None:
        """Do with an open window what `tail` says, or this engine's own tail."""
        keeper = self._keeper
        with keeper.alone():
            keeper.enter(closing=True)
            keeper.refuse_inside_micro_batch("flush()")
            if tail is not None and tail not in CHOICES["tail"]:
                raise ArgumentError(
                    f"tail is one of {', '.join(map(repr, CHOICES['tail']))}, got {tail!r}"
                )
            return keeper.flush(tail or keeper.options.tail)

    def discard(self) -> None:
        """Throw the open window away, if there is one, and count that."""
        with self._keeper.alone():
            self._keeper.abandon_waiting()
            self._keeper.refuse_inside_micro_batch("discard()")
            if self._keeper.books.window.is_open:
                self._keeper.drop()

    def close(self) -> None:
        """Flush, and give the parameters up; `with gradients:` ends so. Its figures stay."""
        if self._keeper.books.ended is None:
            self.flush()
            self._keeper.end()
            if self._tracking is not None:
                self._tracking.end()

    def state_dict(self) -> dict[str, Any]:
        """Return the open window, the counts and the place in the data."""
        with self._keeper.alone():
            if not self._keeper.is_closed:  # else nothing can have changed
                self._keeper.enter()
            self._keeper.refuse_inside_micro_batch("state_dict()")
            return save(self._keeper)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up where `state_dict()` was called; the next `batches()` continues the window."""
        with self._keeper.alone():
            self._keeper.refuse_inside_micro_batch("load_state_dict()")
            load(self._keeper, state)

    def report(self, path: str | PathLike[str]) -> None:
        """Write the run so far as one HTML file that opens offline; needs `record=True`."""
        # Imported here: most engines write no report.
        from zerograd.engine.html_report import write_report

        write_report(self._keeper, self._recording, path)

    @property
    def accumulate(self) -> int | None:
        """How many micro-batches close a window; it may change between windows."""
        return self._keeper.books.accumulate

    @accumulate.setter
    def accumulate(self, accumulate: int | None) -> None:
        self._keeper.refuse_inside_itself()
        if self._keeper.books.window.is_open:
            raise refused("accumulate-in-window", shortfall=self._keeper.shortfall)
        if self._keeper.options.step_in_backward and accumulate != 1:
            raise ArgumentError("step_in_backward=True needs accumulate=1")
        self._keeper.books.accumulate = checked_accumulate(accumulate)

    @property
    def steps(self) -> int:
        """How many windows closed, skipped ones too."""
        return self._keeper.windows

    @property
    def skipped(self) -> int:
        """How many closed windows changed nothing."""
        return int(self._keeper.spending.skipped)

    @property
    def discarded(self) -> int:
        """How many windows were thrown away unspent."""
        return self._keeper.discarded

    @property
    def epoch(self) -> int:
        """How many `batches()` were exhausted: `for epoch in range(gradients.epoch, epochs)`."""
        return self._keeper.progress.epoch

    def __enter__(self) -> Gradients:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            self.close()
        else:
            self.discard()
            self._keeper.end()  # a flush would wait for other ranks, which may have no error

    def __del__(self) -> None:
        keeper = getattr(self, "_keeper", None)
        if keeper is not None and keeper.books.window.is_open:
            warnings.warn(
                f"an engine died {keeper.shortfall}, last deposited at "
                f"{where(keeper.books.window.last)}; call gradients.flush(), or use it as "
                "`with gradients:`",
                OpenWindowWarning,
                stacklevel=2,
            )

    def __reduce_ex__(self, protocol: Any) -> Any:
        del protocol
        raise ArgumentError(
            "an engine cannot be copied or pickled: a second one would own the same gradients; "
            "save gradients.state_dict(), or use zerograd.checkpoint(path, gradients, model=model)"
        )

    def __repr__(self) -> str:
        return described(self._keeper)


for _entrance in (
    *(Gradients.backward, Gradients.step, Gradients.spend, Gradients.flush, Gradients.discard),
    *(Gradients.close, Gradients.micro_batch, Gradients.batches, Gradients.__enter__),
    *(Gradients.__exit__, MicroBatch.__enter__, MicroBatch.__exit__, Batches.__iter__),
):
    hidden_from_dynamo(_entrance)  # a compiled training step breaks here, once


def refuse_reduction(reduction: str) -> Never:
    """Raise for a word that is no reduction."""
    raise ArgumentError(f"reduction is one of 'mean', 'sum', got {reduction!r}")


def recording_of(options: EngineOptions, record: bool | SummaryWriter) -> Recording | None:
    """Return what keeps the run for a report, if that is asked for."""
    if record is False:
        return None
    # Imported here: most engines record nothing.
    from zerograd.engine.recording import Recording

    frame = sys._getframe(2)  # noqa: SLF001  the documented way to one's callers
    return Recording(options, record, where((frame.f_code, frame.f_lasti)))


def tracking_of(options: EngineOptions, track: Tracker | None) -> WindowTracking | None:
    """Return what hands windows to a tracker, if there is one."""
    if track is None:
        return None
    # Imported here: most engines are not tracked.
    from zerograd.engine.tracking import WindowTracking

    return WindowTracking(options, track)


def batches(loader: Iterable[Any], *engines: Gradients) -> Batches:
    """Hand out a loader's batches to several engines: D and G, actor and critic."""
    for engine in engines:
        if not isinstance(engine, Gradients):
            raise ArgumentError(
                f"batches() drives zerograd.Gradients, got {type(engine).__name__}; "
                "write zerograd.batches(loader, first, second)"
            )
    return Batches(loader, [engine._keeper for engine in engines])  # noqa: SLF001  its own class
