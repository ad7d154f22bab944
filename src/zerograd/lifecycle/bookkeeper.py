"""The bookkeeper: books one event after the other, exactly, and returns the faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from zerograd.lifecycle import events as e
from zerograd.lifecycle.books import Books
from zerograd.lifecycle.clearing import zero_outside_closure
from zerograd.lifecycle.closing import AT_A_CLEAN_END, AT_ANY_END
from zerograd.lifecycle.fault import Fault
from zerograd.lifecycle.graph import zero_in_graph
from zerograd.lifecycle.habits import ENOUGH
from zerograd.lifecycle.scaling import Scalers
from zerograd.lifecycle.settlement import Settlement
from zerograd.lifecycle.settling import settle, spend
from zerograd.lifecycle.severity import Severity
from zerograd.lifecycle.transitions import ILLEGAL, UNSPENT_LIES, Call, Move
from zerograd.lifecycle.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zerograd.lifecycle.cells import Cell
    from zerograd.lifecycle.owner import Owner


@dataclass(slots=True)
class Running:
    """A step that has begun and not yet returned."""

    event: e.StepBegins
    owner: Owner
    evaluations: int = 0


class Bookkeeper:
    """Moves the accounts by the events of a run; `Ledger` is the fast way to the same answers."""

    def __init__(self) -> None:
        self.books = Books()
        self.scalers = Scalers()
        self.running: list[Running] = []

    def book(self, event: e.Event) -> tuple[Fault, ...]:
        """Book one event and return the faults that it completes."""
        return self._HANDLERS[type(event)](self, event)

    def close(self, *, clean: bool) -> tuple[Fault, ...]:
        """Judge what is left when the run ends."""
        found: list[Fault] = []
        for judge in AT_ANY_END + (AT_A_CLEAN_END if clean else ()):
            for fault in tuple(judge(self.books)):
                self.books.owners[fault.optimizer].reported.add(fault.rule)
                found.append(fault)
        return tuple(found)

    # -- what moves accounts

    def _backward(self, event: e.Backward) -> tuple[Fault, ...]:
        self.books.ever_deposited = True
        cells = self.books.cells.touching(event.parameters)
        again = any(not cell.account.roots.isdisjoint(event.reaches) for cell in cells)
        for cell in cells:
            cell.account.deposit(event)
            cell.ever_deposited = cell.reached = True
        reached = _owners(cells)
        for owner in self.books.owners.values():
            if owner in reached:
                owner.ever_deposited = True
                owner.window.deposit(event)
                owner.window.again = event if again else owner.window.again
            else:
                owner.window.elsewhere = True
        return ()

    def _write(self, event: e.Write) -> tuple[Fault, ...]:
        self.books.ever_deposited = True
        cells = self.books.cells.touching(event.parameters)
        if event.how is e.Writing.ASSIGN:
            self._use_everything()
        for cell in cells:
            cell.account.write(event)
            cell.ever_written = cell.reached = True
        reached = _owners(cells)
        for owner in self.books.owners.values():
            if owner in reached:
                owner.ever_deposited = True
                owner.window.written = True
                owner.forget_cleared()
            else:
                owner.window.elsewhere = True
        return ()

    def _use_everything(self) -> None:
        """`p.grad = tensor` may be made of any deposit since the last step, in any parameter."""
        for cell in self.books.cells:
            cell.ever_used |= cell.account.state in UNSPENT_LIES
        for owner in self.books.owners.values():
            owner.window.used = True

    def _clear(self, event: e.Clear) -> tuple[Fault, ...]:
        cells = self.books.cells.touching(event.parameters)
        faults = zero_in_graph(event, cells)
        for owner in _owners(cells):
            own = [cell.account.lots for cell in cells if owner in cell.owners]
            thrown = {source: lot for lots in own for source, lot in lots.items()}
            if thrown:
                owner.window.throw_away(event, thrown)
                self.scalers.clear(owner.optimizer)
        for cell in cells:
            cell.note_clear(event)
            cell.account.clear()
        for owner in _owners(cells):
            owner.forget_cleared()
        return faults

    def _use(self, event: e.Use) -> tuple[Fault, ...]:
        for cell in self.books.cells.touching(event.parameters):
            if cell.account.state in UNSPENT_LIES:
                cell.ever_used = True
                for owner in cell.owners:
                    owner.window.used = True
        return ()

    # -- steps

    def _step(self, event: e.Step) -> tuple[Fault, ...]:
        owner = self.books.owner(event.optimizer, event.place)
        owner.called = True
        if self.running:
            self._adopt(owner)
            return ()
        if not owner.is_empty():
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
        inner.window = Window()
        for cell in inner.cells:
            outer.take(cell)
        spend(self.books, outer, self.running[0].event.place)

    def _step_begins(self, event: e.StepBegins) -> tuple[Fault, ...]:
        faults = () if event.closure and not self.running else self._step(event)
        owner = self.books.owner(event.optimizer, event.place)
        owner.called = True
        self.running.append(Running(event, owner))
        return faults

    def _evaluated(self, _: e.Evaluated) -> tuple[Fault, ...]:
        outermost = self.running[0]
        outermost.evaluations += 1
        if outermost.evaluations == 1:
            return self._settle_outermost()
        settlement = Settlement.of(self.books, outermost.owner, outermost.event)
        fault = zero_outside_closure(settlement)
        spend(self.books, outermost.owner, outermost.event.place)
        if fault is None:
            return ()
        outermost.owner.reported.add(fault.rule)
        return (fault,)

    def _step_ends(self, _: e.StepEnds) -> tuple[Fault, ...]:
        ended = self.running[-1]
        faults: tuple[Fault, ...] = ()
        if len(self.running) == 1 and ended.event.closure:
            if ended.evaluations == 0:
                faults = self._settle_outermost()
            # What later evaluations deposited and cleared belongs to this step.
            ended.owner.window = Window()
        self.running.pop()
        return faults

    def _settle_outermost(self) -> tuple[Fault, ...]:
        outermost, self.running = self.running, []
        faults = self._step(outermost[0].event)
        self.running = outermost
        return faults

    def _manual_update(self, event: e.ManualUpdate) -> tuple[Fault, ...]:
        key = ("manual", event.parameters)
        cells = self.books.cells.touching(event.parameters)
        owner = self.books.owner(key, event.place)
        owner.anonymous = True
        for cell in cells:
            owner.take(cell)
        return self._step(e.Step(event.place, key))

    # -- scalers, clips and schedulers

    def _scaler_step(self, event: e.ScalerStep) -> tuple[Fault, ...]:
        called: tuple[Fault, ...] = ()
        if event.enabled:
            called = self.scalers.call(event.scaler, event.optimizer, Call.STEP, event.place)
        return called + self._step(event)

    def _unscale(self, event: e.Unscale) -> tuple[Fault, ...]:
        owner = self.books.owner(event.optimizer, event.place)
        for cell in owner.cells:
            cell.account.scaled = False
        if any(cell.account.state in UNSPENT_LIES for cell in owner.cells):
            owner.window.clip_fresh(event.place)
        return self.scalers.call(event.scaler, event.optimizer, Call.UNSCALE, event.place)

    def _scaler_update(self, event: e.ScalerUpdate) -> tuple[Fault, ...]:
        self.scalers.update(event.scaler)
        return ()

    def _clip(self, event: e.Clip) -> tuple[Fault, ...]:
        cells = self.books.cells.touching(event.parameters)
        if event.measures:
            return ()
        fresh = [cell for cell in cells if cell.account.state in UNSPENT_LIES]
        if not fresh:
            self._idle_clip(event, cells)
        for owner in _owners(fresh):
            owner.window.fresh_clipped = True
            owner.window.clip_fresh(event.place)
            if any(cell.account.scaled for cell in fresh if owner in cell.owners):
                owner.window.scaled_clip = event
        return ()

    def _idle_clip(self, event: e.Clip, cells: tuple[Cell, ...]) -> None:
        rules = {ILLEGAL[cell.account.state, Move.CLIP] for cell in cells}
        rule = "clip-after-step" if "clip-after-step" in rules else "clip-before-backward"
        for owner in _owners(cells):
            owner.window.idle_clip = event
            owner.window.idle_clip_rule = rule

    def _scheduler_step(self, event: e.SchedulerStep) -> tuple[Fault, ...]:
        window = self.books.owner(event.optimizer, event.place).window
        window.scheduler_steps += 1
        window.scheduler = event.place
        return ()

    def _epoch(self, event: e.Epoch) -> tuple[Fault, ...]:
        for owner in self.books.owners.values():
            window = owner.window
            if window.lying and window.newest is not None and window.newest.feed == event.feed:
                window.spans = event.place
        return ()

    # -- who holds what

    def _construct(self, event: e.Construct) -> tuple[Fault, ...]:
        # The id of an optimizer that died may come back.
        self.books.dispose(event.optimizer)
        owner = self.books.owner(event.optimizer, event.place)
        owner.shapes = event.shapes
        for cell in self.books.cells.touching(event.parameters):
            owner.take(cell)
        if not event.repeats:
            return ()
        owner.reported.add("shared-parameter")
        return (
            Fault(
                rule="shared-parameter",
                severity=Severity.ERROR,
                place=event.place,
                optimizer=event.optimizer,
            ),
        )

    def _extend(self, event: e.Extend) -> tuple[Fault, ...]:
        owner = self.books.owner(event.optimizer, event.place)
        for cell in self.books.cells.touching(event.parameters):
            owner.take(cell)
        return ()

    def _called(self, event: e.Called) -> tuple[Fault, ...]:
        self.books.modules[event.module] = event
        return ()

    def _unfreeze(self, event: e.Unfreeze) -> tuple[Fault, ...]:
        for cell in self.books.cells.touching(event.parameters):
            cell.unfrozen = True
        return ()

    def _dispose(self, event: e.Dispose) -> tuple[Fault, ...]:
        self.books.dispose(event.optimizer)
        self.books.cells.forget(event.parameters)
        for owner in [o for o in self.books.owners.values() if o.anonymous and not o.cells]:
            self.books.dispose(owner.optimizer)
        return ()

    _HANDLERS: ClassVar[Mapping[type[e.Event], Callable[[Bookkeeper, Any], tuple[Fault, ...]]]] = {
        e.Backward: _backward,
        e.Write: _write,
        e.Clear: _clear,
        e.Use: _use,
        e.ManualUpdate: _manual_update,
        e.Step: _step,
        e.StepBegins: _step_begins,
        e.Evaluated: _evaluated,
        e.StepEnds: _step_ends,
        e.ScalerStep: _scaler_step,
        e.Unscale: _unscale,
        e.ScalerUpdate: _scaler_update,
        e.Clip: _clip,
        e.SchedulerStep: _scheduler_step,
        e.Epoch: _epoch,
        e.Construct: _construct,
        e.Extend: _extend,
        e.Called: _called,
        e.Unfreeze: _unfreeze,
        e.Dispose: _dispose,
    }


def _owners(cells: Iterable[Cell]) -> dict[Owner, None]:
    """Return the owners of some cells, each once and in order."""
    return {owner: None for cell in cells for owner in cell.owners}
