"""Book what happens between two steps: deposits, writes, clears, clips and scaler calls."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from zerograd.lifecycle import events as e
from zerograd.lifecycle.ledger_checks.graph import note_without_graph, zero_in_graph
from zerograd.lifecycle.transitions import ILLEGAL, UNSPENT_LIES, Call, Move, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zerograd.lifecycle.books import Books
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.owner import Owner
    from zerograd.lifecycle.parameter_groups import ParameterGroup


def backward(books: Books, event: e.Backward) -> tuple[Fault, ...]:
    """Deposit into the accounts that a backward reached."""
    books.ever_deposited = True
    groups = books.groups.touching(event.parameters)
    again = any(not group.account.roots.isdisjoint(event.reaches) for group in groups)
    for group in groups:
        group.account.deposit(event)
        group.ever_deposited = group.reached = True
    reached = owners(groups)
    if not reached:
        for group in groups:
            group.ever_alone = True
        if event.from_leaf:
            note_without_graph(books, event)
    for owner in books.owners.values():
        owner.window.newest_clip = None
        if owner in reached:
            owner.ever_deposited = True
            owner.sources.add(event.source)
            owner.window.deposit(event)
            owner.window.again = event if again else owner.window.again
        else:
            owner.window.elsewhere = True
    return ()


def write(books: Books, event: e.Write) -> tuple[Fault, ...]:
    """Book what something other than backward put into gradients."""
    books.ever_deposited = True
    groups = books.groups.touching(event.parameters)
    if event.how is e.Writing.ASSIGN:
        _use_everything(books)
    elif event.how is e.Writing.OVERWRITE:
        _use_orphans(books)
    for group in groups:
        group.account.write(event)
        group.ever_written = group.reached = True
    reached = owners(groups)
    for owner in books.owners.values():
        if owner in reached:
            owner.ever_deposited = True
            owner.window.written = True
            owner.window.by_hand |= not event.in_loss
            owner.forget_cleared()
        else:
            owner.window.elsewhere = True
    return ()


def _use_everything(books: Books) -> None:
    """`p.grad = tensor` may be made of any deposit since the last step, in any parameter."""
    for group in books.groups:
        group.ever_used |= group.account.state in UNSPENT_LIES
    for owner in books.owners.values():
        owner.window.used = True


def _use_orphans(books: Books) -> None:
    """`p.grad.add_(tensor)` may be made of what lies in parameters of no optimizer (SVRG)."""
    for group in books.groups:
        group.ever_used |= not group.owners and group.account.state in UNSPENT_LIES


def unequal_means(books: Books, event: e.UnequalMeans) -> tuple[Fault, ...]:
    """Note what the deposits of an open window are the means of."""
    books.owner(event.optimizer, event.place).window.unequal = event
    return ()


def clear(books: Books, event: e.Clear) -> tuple[Fault, ...]:
    """Take away what lies in some accounts."""
    groups = books.groups.touching(event.parameters)
    faults = zero_in_graph(event, groups)
    for owner in owners(groups):
        own = [group.account.lots for group in groups if owner in group.owners]
        thrown = {source: lot for lots in own for source, lot in lots.items()}
        if thrown:
            owner.window.thrown_mixed |= bool(owner.holding(State.MIXED))
            owner.window.throw_away(event, thrown)
    for group in groups:
        group.note_clear(event)
        group.account.clear()
    for owner in owners(groups):
        owner.forget_cleared()
        owner.window.zeros_given |= event.assigned
        # A layer frozen by hand after a clip or `unscale_` leaves the rest to step and update.
        if owner.is_empty():
            owner.window.fresh_clips = set()
            if owner.window.thrown_by is event:
                books.scalers.clear(owner.optimizer)
    return faults


def use(books: Books, event: e.Use) -> tuple[Fault, ...]:
    """Note that deposits served something before a step spends them."""
    for group in books.groups.touching(event.parameters):
        if group.account.state in UNSPENT_LIES:
            group.ever_used = True
            for owner in group.owners:
                owner.window.used = True
    return ()


def unscale(books: Books, event: e.Unscale) -> tuple[Fault, ...]:
    """Take the loss scale off the accounts of an optimizer."""
    owner = books.owner(event.optimizer, event.place)
    for group in owner.groups:
        group.account.scaled = False
    if any(group.account.state in UNSPENT_LIES for group in owner.groups):
        owner.window.clip_fresh(event.place)
    return books.scalers.call(event.scaler, event.optimizer, Call.UNSCALE, event.place)


def scaler_update(books: Books, event: e.ScalerUpdate) -> tuple[Fault, ...]:
    """Let a scaler start anew."""
    books.scalers.update(event.scaler)
    return ()


def clip(books: Books, event: e.Clip) -> tuple[Fault, ...]:
    """Note what a clip touched."""
    groups = books.groups.touching(event.parameters)
    if event.measures:
        return ()
    fresh = [group for group in groups if group.account.state in UNSPENT_LIES]
    if not fresh:
        _idle_clip(event, groups)
    for owner in owners(groups):
        owner.window.newest_clip = event
    for owner in owners(fresh):
        owner.window.fresh_clips.add(event.place)
        owner.window.clip_fresh(event.place)
        if any(group.account.scaled for group in fresh if owner in group.owners):
            owner.window.scaled_clip = event
    return ()


def _idle_clip(event: e.Clip, groups: tuple[ParameterGroup, ...]) -> None:
    rules = {ILLEGAL[group.account.state, Move.CLIP] for group in groups}
    for owner in owners(groups):
        owner.window.idle_clip = event
        owner.window.idle_clip_was_late = "clip-after-step" in rules and not event.evaluating


def scheduler_step(books: Books, event: e.SchedulerStep) -> tuple[Fault, ...]:
    """Count a scheduler's step in the open window."""
    window = books.owner(event.optimizer, event.place).window
    window.scheduler_steps += 1
    window.scheduler = event.place
    window.planned = event.planned
    return ()


def epoch(books: Books, event: e.Epoch) -> tuple[Fault, ...]:
    """Mark the windows that the start of an epoch found open."""
    for owner in books.owners.values():
        window = owner.window
        if window.lying and window.newest is not None and window.newest.feed == event.feed:
            window.spans = event.place
    return ()


def owners(groups: Iterable[ParameterGroup]) -> dict[Owner, None]:
    """Return the owners of some groups, each once and in order."""
    return {owner: None for group in groups for owner in group.owners}


BETWEEN_STEPS: Mapping[type[e.Event], Callable[[Books, Any], tuple[Fault, ...]]] = MappingProxyType(
    {
        e.Backward: backward,
        e.Write: write,
        e.UnequalMeans: unequal_means,
        e.Clear: clear,
        e.Use: use,
        e.Unscale: unscale,
        e.ScalerUpdate: scaler_update,
        e.Clip: clip,
        e.SchedulerStep: scheduler_step,
        e.Epoch: epoch,
    }
)
