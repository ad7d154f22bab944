"""Applies one event to states, and writes down what every account looked like before it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, ClassVar

from zerograd.lint.events.accounts import AbstractAccount, ThrownDeposit, transitions
from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.interpret.state import AbstractState, AbstractStates, Scaler, Trail
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import last_name
from zerograd.lint.values import parameter_sets
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zerograd.lint.interpret.plan import RootPlan

SYNC = "sync_gradients"


@record(frozen=True, eq=False)
class Observation:
    """An event as it met one account on one path."""

    event: SourceEvent
    at: int
    """The account, as the plan counts them; -1 for a scaler's event."""

    account: AbstractAccount
    scaler: Scaler | None
    state: AbstractState


class Applier:
    """Moves accounts and keeps the observations that the checks judge."""

    def __init__(self, plan: RootPlan) -> None:
        self.plan = plan
        self.seen: dict[tuple[object, ...], Observation] = {}
        self.scaling = True
        self.owners: dict[int, set[int]] = {}
        """Deposit of unknown reach -> the accounts whose step came next."""

        self.joined: dict[int, set[int]] = {}
        """The same deposit -> the accounts whose steps came right after that one."""

    def apply(
        self, event: SourceEvent, states: Iterable[AbstractState], *, scaling: bool = True
    ) -> AbstractStates:
        """Every state after the event; `scaling` is off where the scaler is."""
        self.scaling = scaling
        move = self.MOVES.get(event.effect) if event.effect else None
        found = AbstractStates()
        gated = (
            event.effect in (CallEffect.STEP, CallEffect.CLEAR) and event.targets and _gated(event)
        )
        for state in states:
            if gated and state.facts.get(SYNC) is False:
                found.add(state)
                continue
            state = state.copy()
            if move is not None:
                move(self, event, state)
            if event.effect is not CallEffect.READ and (
                event.must
                or event.may
                or event.scaler is not None
                or event.effect is CallEffect.DEPOSIT
            ):
                state.trail = Trail(state.trail, event)
            found.add(state)
        return found

    def note(
        self, event: SourceEvent, at: int, state: AbstractState, scaler: Scaler | None = None
    ) -> None:
        """Write down what an event met."""
        account = state.accounts[at] if at >= 0 else AbstractAccount()
        key = (event.number, at, account, scaler)
        if key not in self.seen:
            self.seen[key] = Observation(event, at, account, scaler, state.copy())

    def _each(
        self,
        state: AbstractState,
        places: Iterable[int],
        change: Callable[[AbstractAccount], AbstractAccount],
    ) -> None:
        accounts = list(state.accounts)
        for at in places:
            accounts[at] = change(accounts[at])
        state.accounts = tuple(accounts)

    def _deposit(self, event: SourceEvent, state: AbstractState) -> None:
        state.joint = None
        thrown = [at for at, item in enumerate(state.accounts) if item.thrown]
        self._each(state, thrown, transitions.keep_followed)
        for at in event.must:
            self.note(event, at, state)
        scaled = self.scaling and event.scaler is not None and not event.maybe_scaled
        self._each(
            state, event.must, lambda item: transitions.deposit(item, event.source, scaled=scaled)
        )
        self._each(state, event.may, transitions.maybe_deposit)
        if not event.must and not event.ends_apart:
            state.pending = (
                *(item for item in state.pending if item != event.source),
                event.source,
            )

    def _claim(self, event: SourceEvent, state: AbstractState) -> None:
        """Give a deposit of unknown reach to the optimizer that acts on it next, alone."""
        if not state.pending or len(event.must) != 1:
            return
        at = event.must[0]
        known = {item.source for item in state.accounts[at].fresh}
        for source in state.pending:
            if source not in known and self.plan.events[source].may:
                self.owners.setdefault(source, set()).add(at)
                self._give(source, at, state)

    def _give(self, source: int, at: int, state: AbstractState) -> None:
        """Book a deposit of unknown reach for an optimizer that turned out to spend it."""
        made = self.plan.events[source]
        scaled = made.scaler is not None and not made.maybe_scaled
        self._each(state, (at,), lambda item: transitions.deposit(item, made.number, scaled=scaled))

    def _join(self, event: SourceEvent, state: AbstractState) -> None:
        """`loss.backward(); enc_opt.step(); dec_opt.step()`: one loss trains both.

        Between two steps nothing was deposited, so that the second spends the same backward as
        the first, unless its optimizer has one of its own.
        """
        joint = state.joint
        if joint is None or len(event.must) != 1:
            return
        source, at = joint[0], event.must[0]
        if at in self.plan.events[source].may and not state.accounts[at].fresh:
            self.joined.setdefault(source, set()).add(at)
            self._give(source, at, state)

    def _throw(self, event: SourceEvent, state: AbstractState) -> None:
        """Book deposits of unknown reach as thrown away by the clear that comes next.

        If they were another optimizer's, this one has none at all: whichever it is, a step that
        follows the clear with nothing deposited in between has nothing to spend.
        """
        if not state.pending:
            return
        thrown = tuple(
            ThrownDeposit(
                source, event.number, _is_used_since(source, state.trail), unfollowed=True
            )
            for source in state.pending
        )
        self._each(
            state, event.must, lambda item: item._replace(thrown=transitions.kept(item, thrown))
        )

    def _clear(self, event: SourceEvent, state: AbstractState) -> None:
        self._throw(event, state)
        state.pending = ()
        if state.joint is not None and event.must != self.plan.events[state.joint[1]].must:
            state.joint = None
        for at in event.must:
            self.note(event, at, state)
        self._each(
            state,
            event.must,
            lambda item: transitions.clear(
                item, event.number, keeps_zeros=event.keeps_zeros, fills=event.fills
            ),
        )
        self._lose_unscaled(event, state)
        for at in event.may:
            self._partly(event, at, state)

    def _lose_unscaled(self, event: SourceEvent, state: AbstractState) -> None:
        """Remember a clear between `unscale_` and the step: the scaler waits for its update."""
        for place, scaler in enumerate(state.scalers):
            gone = frozenset(item for item in scaler.unscaled if item[0] in event.must)
            if gone:
                self._set_scaler(
                    state,
                    place,
                    scaler._replace(unscaled=scaler.unscaled - gone, lost=scaler.lost | gone),
                )

    def _partly(self, event: SourceEvent, at: int, state: AbstractState) -> None:
        """Clear some of an account's parameters; several such clears may clear them all."""
        holder = self.plan.holders[at]
        account = state.accounts[at]
        if event.atoms and holder.atoms and not parameter_sets.disjoint(event.atoms, holder.atoms):
            part = account.part | event.atoms
            if parameter_sets.covers(part, holder.atoms):
                self._each(
                    state,
                    (at,),
                    lambda item: transitions.clear(
                        item, event.number, keeps_zeros=event.keeps_zeros, fills=event.fills
                    ),
                )
                return
            if event.atoms <= holder.atoms:
                self._each(state, (at,), lambda item: item._replace(part=part))
                return
        self._each(state, (at,), transitions.maybe_clear)

    def _step(self, event: SourceEvent, state: AbstractState) -> None:
        if event.manual and not event.must:
            self._use(event, state)
            return
        self._claim(event, state)
        self._join(event, state)
        if len(state.pending) == 1 and len(event.must) == 1:
            state.joint = (state.pending[0], event.number)
        state.pending = ()
        sources = frozenset(item.source for at in event.must for item in state.accounts[at].fresh)
        for at in event.must:
            self.note(event, at, state)
        self._scaled_step(event, state)
        self._each(state, event.must, lambda item: transitions.step(item, event.number))
        if event.replaces:
            # `w = w - lr * w.grad` leaves another tensor under the name: its account is new.
            self._each(state, event.must, transitions.forget)
        rest = [at for at in range(len(state.accounts)) if at not in event.must]
        self._each(
            state, rest, lambda item: transitions.spent_elsewhere(item, sources, event.number)
        )
        self._each(state, event.may, transitions.forget)

    def _scaled_step(self, event: SourceEvent, state: AbstractState) -> None:
        if event.scaler is None or not self.scaling:
            return
        place = self.plan.scalers.index(event.scaler.key)
        scaler = state.scalers[place]
        for at in event.must:
            self.note(event, at, state, scaler)
            scaler = scaler._replace(
                stepped=scaler.stepped | {(at, event.number)},
                unscaled=frozenset(item for item in scaler.unscaled if item[0] != at),
            )
        self._set_scaler(state, place, scaler)

    def _set_scaler(self, state: AbstractState, place: int, scaler: Scaler) -> None:
        scalers = list(state.scalers)
        scalers[place] = scaler
        state.scalers = tuple(scalers)

    def _clip(self, event: SourceEvent, state: AbstractState) -> None:
        self._claim(event, state)
        for at in event.must:
            self.note(event, at, state)
        self._each(state, event.must, lambda item: transitions.clip(item, event.number))
        if event.unscales:
            self._each(state, event.must, transitions.unscale)

    def _unscale(self, event: SourceEvent, state: AbstractState) -> None:
        self._claim(event, state)
        if event.scaler is not None and self.scaling:
            place = self.plan.scalers.index(event.scaler.key)
            scaler = state.scalers[place]
            for at in event.must:
                self.note(event, at, state, scaler)
                scaler = scaler._replace(unscaled=scaler.unscaled | {(at, event.number)})
            self._set_scaler(state, place, scaler)
        self._each(state, (*event.must, *event.may), transitions.unscale)

    def _update(self, event: SourceEvent, state: AbstractState) -> None:
        if event.scaler is not None and self.scaling:
            place = self.plan.scalers.index(event.scaler.key)
            self.note(event, -1, state, state.scalers[place])
            self._set_scaler(state, place, Scaler())

    def _write(self, event: SourceEvent, state: AbstractState) -> None:
        state.joint = None
        assigns = isinstance(event.node, ast.Assign)
        self._each(
            state, (*event.must, *event.may), lambda item: transitions.write(item, assigns=assigns)
        )

    def _use(self, event: SourceEvent, state: AbstractState) -> None:
        self._each(state, (*event.must, *event.may), transitions.use)

    def _unknown(self, event: SourceEvent, state: AbstractState) -> None:
        state.pending = ()
        state.joint = None
        self._each(state, (*event.must, *event.may), transitions.forget)

    def _freeze(self, event: SourceEvent, state: AbstractState) -> None:
        frozen = bool(event.freezes)
        # A part that is thawed makes the account one that is trained.
        at = event.must if frozen else (*event.must, *event.may)
        self._each(state, at, lambda item: item._replace(frozen=frozen))

    def _read(self, event: SourceEvent, state: AbstractState) -> None:
        for at in event.must:
            self.note(event, at, state)

    def _build(self, event: SourceEvent, state: AbstractState) -> None:
        """Start a new optimizer: over old tensors it finds what lies there."""
        for at in event.must:
            if state.accounts[at].begun:
                change = self._new_parameters(event, at)
                if change is not None:
                    self._each(state, (at,), change)

    def _new_parameters(
        self, event: SourceEvent, at: int
    ) -> Callable[[AbstractAccount], AbstractAccount] | None:
        atoms, value = self.plan.holders[at].atoms, self.plan.holders[at].value
        if atoms is None or value is None or value.frame is not event.frame:
            return transitions.forget
        loops = [item.node for item in event.context if item.place is EnclosingKind.LOOP]
        if not loops:
            return transitions.forget
        first, last = loops[-1].lineno, loops[-1].end_lineno  # type: ignore[attr-defined]  # loops have lines
        lines = [
            binding.node.lineno
            for atom in atoms
            for binding in event.frame.function.scope.bindings.get(atom[-1], ())
        ]
        return transitions.forget if any(first <= line <= last for line in lines) else None

    MOVES: ClassVar[Mapping[CallEffect, Callable[[Applier, SourceEvent, AbstractState], None]]] = {
        CallEffect.DEPOSIT: _deposit,
        CallEffect.CLEAR: _clear,
        CallEffect.STEP: _step,
        CallEffect.CLIP: _clip,
        CallEffect.UNSCALE: _unscale,
        CallEffect.UPDATE: _update,
        CallEffect.WRITE: _write,
        CallEffect.USE: _use,
        CallEffect.UNKNOWN: _unknown,
        CallEffect.FREEZE: _freeze,
        CallEffect.BUILD: _build,
        CallEffect.READ: _read,
    }


def _is_used_since(source: int, trail: Trail | None) -> bool:
    """Tell whether something read or wrote gradients after a deposit."""
    while trail is not None:
        event = trail.what
        if isinstance(event, SourceEvent):
            if event.source == source:
                return False
            if event.effect in (CallEffect.USE, CallEffect.WRITE):
                return True
        trail = trail.before
    return False


def _gated(event: SourceEvent) -> bool:
    """Tell whether Accelerate decides if the call happens: it stands in `accumulate()`."""
    for around in event.context:
        if around.place is EnclosingKind.WITH:
            for item in getattr(around.node, "items", []):
                call = item.context_expr
                if isinstance(call, ast.Call) and last_name(call.func) == "accumulate":
                    return True
    return False
