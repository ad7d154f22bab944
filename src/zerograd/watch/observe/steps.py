"""Observe steps: nested ones belong to the outermost, and a step must change something to count."""

from __future__ import annotations

import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any

from zerograd.lifecycle import (
    Clear,
    Effect,
    ScalerStep,
    Step,
    StepBegins,
    StepEnds,
    Write,
    Writing,
)
from zerograd.record import record
from zerograd.watch.gradients.groups import SAME, VANISHED
from zerograd.watch.gradients.recently_used import RecentlyUsed
from zerograd.watch.observe.gradient_keepers import GradientKeepers
from zerograd.watch.observe.step_effects import StepEffects

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from types import FrameType

    from torch.optim import Optimizer

    from zerograd.source.lines import CallSite
    from zerograd.watch.gradients.groups import GradientGroup
    from zerograd.watch.observe.deposits import DepositObserver
    from zerograd.watch.observe.event_poster import EventPoster


@record()
class StepUnderWay:
    """A step that has begun and not returned."""

    optimizer: Optimizer
    number: int
    place: CallSite
    closure: bool
    posted: bool = False
    """The ledger was told that it began, because other events happen inside."""


@record()
class ScalerStepUnderWay:
    """A `scaler.step` that has begun and not returned."""

    number: int
    place: CallSite
    stepped: bool = False


class Steps:
    """The stack of steps of each thread."""

    def __init__(self, poster: EventPoster, deposits: DepositObserver) -> None:
        self.poster = poster
        self.deposits = deposits
        self.effects = StepEffects()
        self._stores = GradientKeepers()
        self.count = 0
        """Outermost steps so far."""
        self.begun: Callable[[Optimizer], None] = nobody_asks
        """Told of every outermost step that begins, once it is settled what it spends."""
        self.passed: Callable[[Optimizer], object] = nobody_asks
        """Told afterwards of those that were answered from memory."""
        self._running: dict[int, list[StepUnderWay]] = {}
        self._scaled: dict[int, ScalerStepUnderWay] = {}
        self._known: RecentlyUsed[Hashable, Step] = RecentlyUsed()
        deposits.steps = lambda: self.count

    def under_way(self, thread: int) -> StepUnderWay | None:
        """Return the step of this thread, if it is alone, plain, and believed to do something.

        One that found no gradient is none: what it brought is compared when it returns.
        """
        running = [step for stack in self._running.values() for step in stack]
        if len(running) != 1 or not self._running.get(thread) or self._scaled:
            return None
        step = running[0]
        plain = not (step.posted or step.closure or step.number in self._stores)
        return step if plain and self.effects.believes(step.number) else None

    @property
    def any_under_way(self) -> bool:
        """Whether any thread is in a step."""
        return bool(self._scaled) or any(self._running.values())

    def suspend(self, thread: int) -> None:
        """Drop the step in progress; `resume` restores it."""
        del self._running[thread]

    def resume(self, thread: int, optimizer: Optimizer, number: int, place: CallSite) -> None:
        """Mind the step under way again."""
        self._running[thread] = [StepUnderWay(optimizer, number, place, closure=False)]

    def begin(self, optimizer: Optimizer, place: CallSite, *, has_closure: bool) -> None:
        """Note a step that begins, and settle what it is about to spend."""
        stack = self._stack()
        self.deposits.spending_begins()
        self.poster.bury()
        number = self.poster.enlist(optimizer, place)
        self.poster.stepped.add(number)
        groups = self.poster.registry.owned_by(number)
        scaled = self._scaled.get(get_ident())
        if scaled is not None:
            scaled.stepped = True
            self.poster.absorb(groups)
        elif get_ident() in self.poster.filling:
            self.deposits.end_in_part(groups)
        else:
            self.poster.settle(groups, place)
        if stack:
            self.contain()
        stack.append(StepUnderWay(optimizer, number, place, has_closure))
        self.effects.before(number, optimizer, groups)
        self._stores.before(number, groups)
        self.poster.damages.before_step(number, optimizer, groups, has_closure=has_closure)
        if has_closure:
            self.contain()
        else:
            self.close_window(optimizer, number, place)
        if len(stack) == 1:
            self.begun(optimizer)

    def close_window(self, optimizer: Optimizer, number: int, place: CallSite) -> None:
        """Tell if the deposits that a step is about to spend are unequal, or moved an average.

        With a closure it is told when that returned: its deposits are the window's last.
        """
        means = self.deposits.items.close(number, place)
        if means is not None:
            self.poster.post(means)
        fault = self.deposits.averages.step(number, optimizer, place)
        if fault is not None:
            self.poster.report(fault)

    @property
    def evaluating(self) -> bool:
        """Whether this thread runs the closure of a step."""
        return any(step.closure for step in self._running.get(get_ident(), ()))

    def contain(self) -> None:
        """Tell the ledger of the steps under way, before something happens inside them."""
        for step in self._running.get(get_ident(), ()):
            if not step.posted:
                step.posted = True
                self.poster.post(
                    self.poster.event(StepBegins, step.place, step.number, closure=step.closure)
                )

    def end(self, optimizer: Optimizer) -> None:
        """Note that a step returned, and post it."""
        stack = self._running.get(get_ident())
        if not stack or stack[-1].optimizer is not optimizer:
            return
        step = stack.pop()
        groups = self.poster.registry.owned_by(step.number)
        effect, found_none = self.effects.after(step.number, optimizer), step.number in self._stores
        brought = self._stores.brought(step.number)
        if found_none and not brought:
            effect = Effect.STILL
        if step.posted:
            self.poster.post(self.poster.event(StepEnds, step.place))
        elif get_ident() not in self._scaled:
            for group in brought:
                self.poster.post(self.poster.event(Write, step.place, group.keys, Writing.ASSIGN))
            self._post(step, effect)
        self._spend(groups, step.place)
        if not stack:
            self.count += 1

    def _post(self, step: StepUnderWay, effect: Effect) -> None:
        what = (step.place, step.number, effect, self._kept(step.number))
        event = self._known.get(what)
        if event is None:
            modulo, condition = self.poster.reader.condition(step.place)
            event = self._known[what] = Step(
                *what[:3], modulo=modulo, condition=condition, kept=what[3]
            )
        self.poster.post(event)

    def _kept(self, number: int) -> CallSite | None:
        source = self.poster.kept.step(number, self.deposits.count)
        return self.poster.reader.keeper(source) if source is not None else None

    def begin_scaled(self, scaler: Any, optimizer: Optimizer, place: CallSite) -> None:
        """Note a `scaler.step` that begins; a disabled scaler only passes the call on."""
        if not scaler.is_enabled():
            return
        number = self.poster.enlist(optimizer, place)
        self.poster.settle(self.poster.registry.owned_by(number), place)
        self._scaled[get_ident()] = ScalerStepUnderWay(number, place)

    def end_scaled(self, scaler: Any, optimizer: Optimizer) -> None:
        """Post the scaler's step, skipped or not."""
        del optimizer
        step = self._scaled.pop(get_ident(), None)
        if step is None:
            return
        modulo, condition = self.poster.reader.condition(step.place)
        self.poster.post(
            self.poster.event(
                ScalerStep,
                step.place,
                step.number,
                modulo=modulo,
                condition=condition,
                kept=self._kept(step.number),
                scaler=id(scaler),
                skipped=not step.stepped,
            )
        )
        self._spend(self.poster.registry.owned_by(step.number), step.place)

    def _spend(self, groups: list[GradientGroup], place: CallSite) -> None:
        self._settle_inside(groups, place)
        held = [group for group in groups if group.representative.gradient is not None]
        for group in held:
            group.fresh, group.spent = False, True
        at_all = self.poster.sampling.at_all
        self.poster.spent.remember([group for group in held if at_all or group.written])
        self.poster.read(held)

    def _settle_inside(self, groups: list[GradientGroup], place: CallSite) -> None:
        """Take what an optimizer wrote to its gradients as its own; one that clears has cleared."""
        for change, group in self.poster.look(groups):
            member = group.representative
            if change is VANISHED or (change is not SAME and member.holds_zero()):
                self.poster.post(self.poster.event(Clear, place, group.keys))
                group.fresh = group.spent = False
            elif change is not SAME:
                member.was_zero = None

    def _stack(self) -> list[StepUnderWay]:
        stack = self._running.setdefault(get_ident(), [])
        if stack:
            # A step that raised never told us that it ended.
            alive = _stepping()
            stack[:] = [step for step in stack if any(step.optimizer is one for one in alive)]
        return stack


def _stepping() -> list[Any]:
    """Return the optimizers whose `step` is on the stack of this thread."""
    found: list[Any] = []
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  the documented way to one's callers
    while frame is not None:
        if frame.f_code.co_qualname.endswith("profile_hook_step.<locals>.wrapper"):
            found.append(frame.f_locals.get("self"))
        frame = frame.f_back
    return found


def nobody_asks(optimizer: Optimizer) -> None:
    """Do nothing."""
