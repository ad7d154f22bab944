"""Count the windows of one rank, and close each together with those of all other ranks."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from zerograd.engine.ranks.channel import Message, Occasion, RankChannel, is_of_ranks, left_alone
from zerograd.engine.ranks.fsdp import Sharded
from zerograd.engine.ranks.plan import EpochPlan, Plan, planned
from zerograd.engine.ranks.shards import ShardedDeposits, ShardedSpending, like, local
from zerograd.engine.refusals import refused
from zerograd.engine.resume.fit import MisfitError, is_number
from zerograd.engine.window import NOTHING
from zerograd.engine.window_keeper import WindowKeeper
from zerograd.errors import ArgumentError, CheckpointError

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

    from zerograd.engine.options import EngineOptions
    from zerograd.engine.ranks.wrapper import Wrapper
    from zerograd.engine.step import Step
    from zerograd.engine.window import Items


class RankWindowKeeper(WindowKeeper):
    """Counts items over ranks, and lets only the closing micro-batch communicate."""

    runs_empty = True
    takes_closures = False
    moves_reference = False

    def __init__(self, options: EngineOptions, model: Module, wrapper: Wrapper) -> None:
        super().__init__(options, model)
        self.wrapper = wrapper
        self.channel = RankChannel(wrapper.groups[0], wrapper.ranks)
        self.books.set_aside = wrapper.set_aside
        if isinstance(wrapper, Sharded):
            self.deposits = ShardedDeposits(self.books, options, wrapper)
            self.spending = ShardedSpending(self.books, options, wrapper)
        self._reference = 0.0
        """Agreed at the run's first deposit."""

        self._total: Items | None = None
        """Items of all ranks in the window that is closing, once that is known."""

        self._message: Message | None = None
        """Asks for it, meanwhile."""

        self._own: Items = NOTHING
        """What this rank has told of it."""

        self._is_proven = False
        """All ranks held the same after their first reduction."""

        self._plan: Plan | None = None
        self._is_out = False
        """A batch of this epoch was handed out."""

        self._is_settled = True
        """No rank can have an open window."""

        self._unknown = self._outside()
        """Frozen parameters that the wrapper would not reduce."""

        self.prepare()

    def refuse_unsound(self) -> None:
        """Raise for what was done to the wrapped model and makes its average no average."""
        self.wrapper.refuse_unsound()

    def follow(self) -> None:
        """Own what joined the optimizers, if the wrapper reduces it."""
        super().follow()
        self._unknown = self._outside()

    def _outside(self) -> list[Tensor]:
        return [p for p in self.books.accounts.parameters if not self.wrapper.holds(p)]

    def begin_epoch(self, length: int | None, first: int) -> None:
        """Agree on the windows of an epoch, before its first forward."""
        self.wrapper.refuse_unsound()
        self._is_out = self._is_settled = False
        self._agree_on_windows(length, first)

    def _agree_on_windows(self, length: int | None, first: int) -> None:
        accumulate, carried = self.books.accumulate, self.books.window.micro_batches
        epoch = EpochPlan(length, first, self.windows, carried, accumulate)
        sharded = isinstance(self.wrapper, Sharded)
        self._plan = planned(self.channel, epoch, self.options, sharded=sharded)

    def hand_out(self, index: int, *, is_last: bool) -> None:
        """Begin the next batch: its forward reads whether its backward is reduced."""
        self._refuse_no_backward()
        self._is_out = True
        plan = self._plan
        if plan is not None and index >= plan.length:
            self.end_epoch()  # the other ranks wait for what was agreed
            raise ArgumentError(
                f"the loader hands out more than its length of {plan.length} batches, and the "
                "other ranks do not know of them; correct its __len__"
            )
        if plan is not None and plan.accumulate != self.books.accumulate:
            self._agree_on_windows(plan.length, index)
        super().hand_out(index, is_last=is_last)
        self.prepare()

    def end_epoch(self) -> None:
        """Take part in the windows that only other ranks have batches for."""
        self._refuse_no_backward()
        plan = self._plan
        while plan is not None and plan.missing(self.windows) > 0:
            if not plan.is_alone(self.windows):
                raise _shorter(self.progress.index, plan.length)
            # What lies in a window that another rank fills is spent with it.
            if not self.books.window.is_open:
                self.deposits.begin()
            self.close()
        self._is_settled = plan is not None and self.options.tail == "step"
        self._plan = None

    def prepare(self) -> None:
        """Set, before a forward, whether its backward communicates."""
        plan = self._plan
        alone = plan is not None and plan.is_alone(self.windows)
        synced = (
            not alone
            # Sums that are wider than their parameters are reduced as they are, by the engine.
            and self.books.widening is None
            and (self._closes_with_the_next() or self.options.sync == "micro-batch")
        )
        self.wrapper.prepare(synced=synced, alone=alone)

    def deposit(
        self,
        loss: Tensor,
        items: Items,
        reduction: str,
        retain_graph: bool | None,
        create_graph: bool,
    ) -> None:
        """Run one backward, also one without items: the other ranks wait for it."""
        self._is_settled = False
        for parameter in self._unknown:
            if parameter.requires_grad:
                raise _unreduced_since(self.books.accounts.name(parameter))
        if not self._reference:
            self._agree(items)
        self.books.window.reference = self._reference
        if self.wrapper.is_bypassed():
            raise refused("model-bypassed")
        if self._closes_with_the_next():
            self._announce(items)
        self._run(loss, items, reduction, retain_graph, create_graph)
        try:
            self.wrapper.deposited()
            if not self._is_proven and self.wrapper.reduced():
                self._prove()
        except BaseException:
            self.drop()
            raise

    def _run(
        self,
        loss: Tensor,
        items: Items,
        reduction: str,
        retain_graph: bool | None,
        create_graph: bool,
    ) -> None:
        """Run one backward, which may wait for ranks that never come."""
        try:
            if items is NOTHING:
                with self.wrapper.emptied():
                    super().deposit(loss, items, reduction, retain_graph, create_graph)
            else:
                super().deposit(loss, items, reduction, retain_graph, create_graph)
        except RuntimeError as error:
            if is_of_ranks(error):
                raise left_alone(Occasion.CLOSE, error) from error
            raise

    def counted(self, items: Items, stated: bool, create_graph: bool) -> Step | None:
        """Count a micro-batch; the next forward may come before the next call."""
        step = super().counted(items, stated, create_graph)
        if step is None:  # else `closed` has prepared for it
            self.prepare()
        return step

    def close(self) -> Step:
        """Spend the window with all ranks, reduced by the engine where the wrapper did not."""
        reduced = self.wrapper.reduced()
        try:
            if self._total is None:
                self._total = self._counted(self._message or self._ask(NOTHING, reduced=reduced))
        except BaseException:
            self.drop()
            raise
        if not reduced:
            self.wrapper.reduce(self.books, self.channel)
        self.books.window.items = self._total
        self.books.window.reference = (self._reference or 1) * self.wrapper.size
        return super().close()

    def closed(self, step: Step) -> None:
        """Begin the next window."""
        self._total = self._message = None
        self.wrapper.forget()
        super().closed(step)
        self.prepare()

    def drop(self) -> None:
        """Throw an open window away, on this rank."""
        self._total = self._message = None
        self.wrapper.forget()
        super().drop()
        self.prepare()

    def flush(self, tail: str) -> Step | None:
        """Do what `tail` says; a window that is open on any rank is closed by all."""
        if tail != "step" or self._is_settled:
            return super().flush(tail)
        is_open = self.books.window.is_open
        if not self.channel.tell(Occasion.FLUSH, is_open):
            return None
        if not is_open:
            self.deposits.begin()
        return self.close()

    def end(self) -> None:
        """Give the parameters up, and leave the wrapped model as it was found."""
        super().end()
        self.wrapper.release()

    def packed(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return this rank's state under its own name, whole.

        torch.distributed.checkpoint keeps one value of each name, and loads into what is there.
        """
        self.wrapper.refuse_saving()
        state["accounts"] = [None if held is None else local(held) for held in state["accounts"]]
        state["rank reference"] = self._reference
        file = io.BytesIO()
        torch.save(state, file)
        return {self._place: file.getvalue()}

    def unpacked(self, state: Any) -> Any:
        """Return what this same rank saved."""
        if not isinstance(state, dict) or self._place not in state:
            found = ", ".join(map(str, state)) if isinstance(state, dict) else "something else"
            raise CheckpointError(
                f"this is {self._place}, and the state is that of {found}; let each of as many "
                "ranks load what it saved itself"
            )
        try:
            own = torch.load(io.BytesIO(state[self._place]), weights_only=True)
            reference = own["rank reference"]
            parameters = self.books.accounts.parameters
            if len(parameters) == len(own["accounts"]):
                own["accounts"] = list(map(like, parameters, own["accounts"]))
        # Neither torch.load nor DTensor says what damaged bytes may make it stumble over.
        except Exception as error:
            raise MisfitError(f"the state of {self._place} is damaged") from error
        if not is_number(reference) or not 0 <= reference < math.inf:
            raise MisfitError(f"the reference of {self._place} is {reference!r}")
        return own

    def resumed(self, state: dict[str, Any]) -> None:
        """Take up the reference that the ranks agreed on."""
        self._reference = state["rank reference"]

    @property
    def _place(self) -> str:
        return f"rank {dist.get_rank()} of {dist.get_world_size()}"

    def _closes_with_the_next(self) -> bool:
        """Whether the micro-batch that is or comes next closes its window."""
        accumulate = self.books.accumulate
        return accumulate is not None and (
            self.books.window.micro_batches + 1 >= accumulate
            or (self.progress.is_last and self.options.tail == "step")
        )

    def _agree(self, items: Items) -> None:
        """Choose the run's reference: the largest first count of any rank."""
        self.wrapper.refuse_unsound()
        stated = self.books.window.states
        stating = self.channel.tell(Occasion.FIRST_DEPOSIT, stated)
        if stating not in (0, self.channel.size):
            raise refused("ranks-count-apart", stating=stating, size=self.channel.size)
        own = 1.0 if isinstance(items, torch.Tensor) else float(items)
        [largest] = self.channel.largest(Occasion.FIRST_DEPOSIT, [own])
        self._reference = largest or 1.0

    def _announce(self, items: Items) -> None:
        """Begin to count the items of the closing window, before its last backward.

        Nothing is sent where the plan knows the count; where the ranks agreed on their windows
        the answer is waited for at the close. By itself a rank may be about to reduce what
        another does not, and would wait inside its backward: so it waits for the answer first.
        """
        if self._total is not None or self._message is not None:
            return  # a later loss of the closing micro-batch
        window, plan = self.books.window, self._plan
        reduced = self.wrapper.reduces()
        if self.progress.driver is None:
            plan = None  # the loop is not that of batches()
        if plan and plan.is_counted(self.windows) and reduced and not window.states:
            self._total = (window.micro_batches + 1) * self.wrapper.size
            return
        self._message = self._ask(items, reduced=reduced)
        if plan is None:
            self._total = self._counted(self._message)

    def _ask(self, items: Items, *, reduced: bool) -> Message:
        """Ask all ranks for their items, and whether they close the window alike."""
        self._own = own = self.books.window.items + items
        if isinstance(own, torch.Tensor):
            return self.channel.start(Occasion.CLOSE, unreduced=not reduced, on_device=True)
        return self.channel.start(Occasion.CLOSE, own, unreduced=not reduced)

    def _counted(self, message: Message) -> Items:
        """Return the window's items over all ranks, once all of them have answered."""
        told = message.answer()
        if told.unreduced not in (0, self.channel.size):
            raise refused("ranks-reduce-apart", flags=told.unreduced, size=self.channel.size)
        return self._counted_on_device() if told.on_device else told.total

    def _counted_on_device(self) -> Tensor:
        """Sum counts of which some are known on the device only, without reading them."""
        own, device = self._own, self.wrapper.device
        if isinstance(own, torch.Tensor):
            total = own.to(device, torch.float64)
        else:  # filled by a kernel, not copied from the host
            total = torch.full((), own, dtype=torch.float64, device=device)
        for group in self.wrapper.groups:
            dist.all_reduce(total, group=group)
        return total

    def _prove(self) -> None:
        """See that a reduction has reduced: hooks that are lost leave every rank its own."""
        self._is_proven = True
        own = self.wrapper.fingerprint()
        if own is None:
            return
        occasion = Occasion.FIRST_REDUCTION
        self.channel.tell(occasion)
        highest, lowest = self.channel.largest(occasion, [own, -own])
        if highest != -lowest:
            prints = self.channel.every(occasion, own)
            other = next(r for r, number in enumerate(prints) if number != prints[0])
            raise refused("ranks-hold-others", rank=other)

    def _refuse_no_backward(self) -> None:
        if self._is_out and not self.progress.deposited:
            raise ArgumentError(
                "a batch of batches() had no backward, and the other ranks count on it; instead of "
                "`continue` call gradients.backward(loss, items=0), which deposits nothing"
            )


def _unreduced_since(name: str) -> ArgumentError:
    return ArgumentError(
        f"{name} was added or unfrozen after the model was wrapped, which does not reduce it, so "
        "that every rank would spend its own gradient; wrap the model again, and make the "
        "optimizer and Gradients anew after it"
    )


def _shorter(batches: int, length: int) -> ArgumentError:
    return ArgumentError(
        f"the loader handed out {batches} batches of its length of {length}, and the other ranks "
        "wait for the rest; correct its __len__"
    )
