"""Book one event after the other, exactly, and return the faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from zerograd.lifecycle import events as e
from zerograd.lifecycle.books import Books
from zerograd.lifecycle.event_handlers import BETWEEN_STEPS
from zerograd.lifecycle.judged_step import JudgedStep
from zerograd.lifecycle.ledger_checks.clearing import zero_outside_closure
from zerograd.lifecycle.ledger_checks.closing import AT_A_CLEAN_END, AT_ANY_END
from zerograd.lifecycle.ownership_events import HOLDING
from zerograd.lifecycle.step_settlement import settle, spend
from zerograd.lifecycle.transitions import Call
from zerograd.lifecycle.verdicts.precedence import SCALER_ABSORBED_BY, is_absorbed
from zerograd.lifecycle.window_statistics import ENOUGH
from zerograd.record import record, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.owner import Owner

_BOOKED = {**BETWEEN_STEPS, **HOLDING}


@record()
class OpenStep:
    """A step that has begun and not yet returned."""

    event: e.StepBegins
    owner: Owner
    evaluations: int = 0


class Bookkeeper:
    """Moves the accounts by the events of a run; `Ledger` is the fast way to the same answers."""

    __slots__ = ("books", "running")

    def __init__(self) -> None:
        self.books = Books()
        self.running: list[OpenStep] = []

    def book(self, event: e.Event) -> tuple[Fault, ...]:
        """Book one event and return the faults that it completes."""
        handler = _BOOKED.get(type(event))
        if handler is not None:
            return handler(self.books, event)
        return self._STEPS[type(event)](self, event)

    def close(self, *, clean: bool) -> tuple[Fault, ...]:
        """Judge what is left when the run ends."""
        found: list[Fault] = []
        for judge in AT_ANY_END + (AT_A_CLEAN_END if clean else ()):
            for fault in tuple(judge(self.books)):
                owner = self.books.owners[fault.optimizer]
                if not is_absorbed(fault.verdict, owner.reported):
                    owner.reported.add(fault.rule)
                    found.append(fault)
        return tuple(found)

    def _step(self, event: e.Step) -> tuple[Fault, ...]:
        owner = self.books.owner(event.optimizer, event.place)
        owner.called = True
        if self.running:
            self._adopt(owner)
            return ()
        skipped = isinstance(event, e.ScalerStep) and event.skipped
        if not owner.is_empty() and not skipped:
            owner.calls = min(owner.calls + 1, ENOUGH)
            owner.ever_moved |= event.effect is e.Effect.MOVED
        if event.effect is e.Effect.NOTHING:
            owner.last_step = event
            return ()
        return settle(self.books, owner, event)

    def _adopt(self, inner: Owner) -> None:
        """Make an inner optimizer's accounts the outermost one's as well."""
        outer = self.running[0].owner
        if inner is outer:
            return
        inner.inner = True
        for group in inner.groups:
            outer.take(group)
        spend(self.books, outer, self.running[0].event.place)
        inner.open_window()

    def _step_begins(self, event: e.StepBegins) -> tuple[Fault, ...]:
        faults = () if event.closure and not self.running else self._step(event)
        owner = self.books.owner(event.optimizer, event.place)
        owner.called = True
        self.running.append(OpenStep(event, owner))
        return faults

    def _evaluated(self, event: e.Evaluated) -> tuple[Fault, ...]:
        if not self.running:  # who starts to watch in mid-step sees only its end
            return ()
        outermost = self.running[0]
        outermost.evaluations += 1
        if outermost.evaluations == 1:
            return self._settle_outermost(still=event.left_nothing)
        judged = JudgedStep.of(self.books, outermost.owner, outermost.event)
        fault = zero_outside_closure(judged)
        spend(self.books, outermost.owner, outermost.event.place)
        if fault is None:
            return ()
        outermost.owner.reported.add(fault.rule)
        return (fault,)

    def _step_ends(self, _: e.StepEnds) -> tuple[Fault, ...]:
        faults: tuple[Fault, ...] = ()
        if not self.running:
            return faults
        ended = self.running[-1]
        if len(self.running) == 1 and ended.event.closure:
            if ended.evaluations == 0:
                faults = self._settle_outermost()
            # What later evaluations deposited and cleared belongs to this step.
            ended.owner.open_window()
        self.running.pop()
        return faults

    def _settle_outermost(self, *, still: bool = False) -> tuple[Fault, ...]:
        outermost, self.running = self.running, []
        event = outermost[0].event
        faults = self._step(replace(event, effect=e.Effect.STILL) if still else event)
        self.running = outermost
        return faults

    def _manual_update(self, event: e.ManualUpdate) -> tuple[Fault, ...]:
        key = ("manual", event.parameters)
        groups = self.books.groups.touching(event.parameters)
        owner = self.books.owner(key, event.place)
        owner.anonymous = True
        for group in groups:
            owner.take(group)
        return self._step(e.Step(event.place, key))

    def _scaler_step(self, event: e.ScalerStep) -> tuple[Fault, ...]:
        called: tuple[Fault, ...] = ()
        abandoned = self.books.scalers.has_abandoned(event.scaler, event.optimizer)
        if event.enabled:
            called = self.books.scalers.call(event.scaler, event.optimizer, Call.STEP, event.place)
        stepped = self._step(event)
        explained = {fault.rule for fault in stepped} if abandoned else set()
        by = SCALER_ABSORBED_BY
        unexplained = [f for f in called if by.get(f.rule, frozenset()).isdisjoint(explained)]
        return (*unexplained, *stepped)

    _STEPS: ClassVar[Mapping[type[e.Event], Callable[[Bookkeeper, Any], tuple[Fault, ...]]]] = {
        e.Step: _step,
        e.StepBegins: _step_begins,
        e.Evaluated: _evaluated,
        e.StepEnds: _step_ends,
        e.ManualUpdate: _manual_update,
        e.ScalerStep: _scaler_step,
    }
