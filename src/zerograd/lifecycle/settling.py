"""Settling: a step is judged, its accounts are spent, and a new window opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.events import ScalerStep
from zerograd.lifecycle.faults.accumulation import is_bare
from zerograd.lifecycle.faults.graph import remember_graph
from zerograd.lifecycle.habits import ENOUGH, longer
from zerograd.lifecycle.judging import judge
from zerograd.lifecycle.settlement import Settlement
from zerograd.lifecycle.transitions import NOTHING_LIES, State

if TYPE_CHECKING:
    from zerograd.lifecycle.books import Books
    from zerograd.lifecycle.events import Place, Source, Step
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.owner import Owner


def settle(books: Books, owner: Owner, event: Step) -> tuple[Fault, ...]:
    """End an optimizer's window."""
    owner.steps += 1
    owner.last_step = event
    settlement = Settlement.of(books, owner, event)
    skipped = isinstance(event, ScalerStep) and event.skipped
    if not skipped:
        _learn(settlement)
    faults = judge(settlement, skipped=skipped)
    _tell_others(settlement)
    spend(books, owner, event.place)
    for cell in owner.cells:
        cell.end_window()
    owner.open_window()
    return faults


def spend(books: Books, owner: Owner, place: Place) -> None:
    """Let an optimizer use all that lies in its accounts."""
    for cell in owner.cells:
        account = cell.account
        for source in account.lots:
            books.spenders.setdefault(source, set()).add(owner.optimizer)
        cell.ever_spent |= account.state not in NOTHING_LIES
        account.spend(owner.optimizer, place)
        for other in cell.owners:
            other.forget_cleared()


def _learn(settlement: Settlement) -> None:
    """Add the window to the optimizer's habits; a step on nothing at all makes no window."""
    window, habits, content = settlement.window, settlement.habits, settlement.content
    habits.kept = remember_graph(habits.kept, alive=settlement.event.kept is not None)
    if settlement.owner.is_empty() and not window.made:
        return
    habits.count(content.count, content.source, spans=window.spans is not None)
    habits.always_bare &= is_bare(settlement)
    many = content.count >= 2
    habits.scheduled = longer(
        habits.scheduled, goes_on=many and window.scheduler_steps >= content.count
    )
    habits.clipped = longer(habits.clipped, goes_on=many and window.clipped >= content.count)
    habits.synced = longer(
        habits.synced, goes_on=many and content.lot is not None and content.lot.synced
    )
    habits.shared = longer(habits.shared, goes_on=_spends_anothers(settlement.owner))
    _learn_thrown(settlement)
    _learn_wasted(settlement)
    for source in window.lying:
        followers = frozenset(window.followers.get(source, ()))
        habits.followers[source] = habits.followers.get(source, followers) & followers


def _spends_anothers(owner: Owner) -> bool:
    """Tell whether others have spent something here that this one has not."""
    stale = owner.holding(State.STALE)
    return any(owner.optimizer not in cell.account.spenders for cell in stale)


def _learn_thrown(settlement: Settlement) -> None:
    habits, thrown = settlement.habits, _all_but_the_last(settlement)
    if habits.windows == 1:
        habits.thrown = thrown
    habits.always_thrown &= thrown is not None and thrown == habits.thrown


def _all_but_the_last(settlement: Settlement) -> tuple[int, Source, Place] | None:
    """Describe a window whose micro-batches were thrown away one by one, except the last."""
    window, content = settlement.window, settlement.content
    if window.thrown_by is None or window.written or window.used or not window.one_line:
        return None
    one_by_one = window.thrown == window.made - 1 and content.count == 1
    if not one_by_one or window.sources != {content.source}:
        return None
    return window.made, content.source, window.thrown_by.place


def _learn_wasted(settlement: Settlement) -> None:
    window, habits = settlement.window, settlement.habits
    served = window.used or window.written
    habits.wasted = {
        source: min(habits.wasted.get(source, 0) + 1, ENOUGH)
        for source in window.wasted
        if source not in window.lying and not served
    }


def _tell_others(settlement: Settlement) -> None:
    """Let the other optimizers know that backwards which reached them too are spent here."""
    owner = settlement.owner
    for other in settlement.books.owners.values():
        if other is owner:
            continue
        for source in other.window.lying.keys() & settlement.window.lying.keys():
            other.window.followers.setdefault(source, set()).add(owner.optimizer)
            other.window.singly |= settlement.content.count == 1
    for cell in owner.cells:
        for other in cell.owners if cell.account.lots else ():
            other.window.spent_elsewhere |= other is not owner
