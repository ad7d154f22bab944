"""Settle a step: judge it, spend its accounts, and open a new window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.events import ScalerStep
from zerograd.lifecycle.judged_step import JudgedStep
from zerograd.lifecycle.judging import judge
from zerograd.lifecycle.ledger_checks.accumulation import is_bare, is_unequal
from zerograd.lifecycle.ledger_checks.graph import remember_graph
from zerograd.lifecycle.ledger_checks.scaling import is_clipped_for_nothing, tell_clips_of_others
from zerograd.lifecycle.step_facts import IDLE_STEP
from zerograd.lifecycle.transitions import NOTHING_LIES, State
from zerograd.lifecycle.window_statistics import ENOUGH, longer

if TYPE_CHECKING:
    from zerograd.lifecycle.books import Books
    from zerograd.lifecycle.events import Place, Source, Step
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.owner import Owner


def settle(books: Books, owner: Owner, event: Step) -> tuple[Fault, ...]:
    """End an optimizer's window."""
    owner.steps += 1
    owner.last_step = event
    judged = JudgedStep.of(books, owner, event)
    skipped = isinstance(event, ScalerStep) and event.skipped
    if not skipped:
        _learn(judged)
    faults = judge(judged, skipped=skipped)
    _note_idle(owner, event.place)
    _tell_others(judged)
    spend(books, owner, event.place)
    for group in owner.groups:
        group.end_window()
    owner.open_window()
    return faults


def _note_idle(owner: Owner, place: Place) -> None:
    if owner.is_empty():
        owner.idle_credit = max(owner.idle_credit - IDLE_STEP, 0)
    else:
        owner.spends_at.add(place)
        owner.idle_credit = min(owner.idle_credit + 1, 4 * IDLE_STEP)


def spend(books: Books, owner: Owner, place: Place) -> None:
    """Let an optimizer use all that lies in its accounts."""
    for group in owner.groups:
        account = group.account
        for source in account.lots:
            books.spenders.setdefault(source, set()).add(owner.optimizer)
        group.ever_spent |= account.state not in NOTHING_LIES
        account.spend(owner.optimizer, place)
        for other in group.owners:
            other.forget_cleared()


def _learn(judged: JudgedStep) -> None:
    """Add the window to the optimizer's statistics; a step on nothing at all makes no window."""
    window, statistics, content = judged.window, judged.statistics, judged.content
    statistics.kept = remember_graph(statistics.kept, alive=judged.event.kept is not None)
    if judged.owner.is_empty() and not window.made:
        return
    statistics.count(content.count, content.source, spans=window.spans is not None)
    statistics.always_bare &= is_bare(judged)
    statistics.unequal = longer(statistics.unequal, goes_on=is_unequal(judged))
    many = content.count >= 2
    statistics.scheduled = longer(
        statistics.scheduled, goes_on=many and window.scheduler_steps >= content.count
    )
    statistics.clipped = longer(
        statistics.clipped, goes_on=many and window.clipped >= content.count
    )
    statistics.clips_of_others = longer(
        statistics.clips_of_others, goes_on=is_clipped_for_nothing(judged)
    )
    tell_clips_of_others(judged)
    statistics.synced = longer(
        statistics.synced, goes_on=many and content.lot is not None and content.lot.synced
    )
    statistics.shared = longer(statistics.shared, goes_on=_spends_anothers(judged.owner))
    _learn_thrown(judged)
    _learn_wasted(judged)
    for source in window.lying:
        followers = frozenset(window.followers.get(source, ()))
        statistics.followers[source] = statistics.followers.get(source, followers) & followers


def _spends_anothers(owner: Owner) -> bool:
    """Tell whether others have spent something here that this one has not."""
    stale = owner.holding(State.STALE)
    return any(owner.optimizer not in group.account.spenders for group in stale)


def _learn_thrown(judged: JudgedStep) -> None:
    statistics, thrown = judged.statistics, _all_but_the_last(judged)
    if statistics.windows == 1:
        statistics.thrown = thrown
    statistics.always_thrown &= thrown is not None and thrown == statistics.thrown


def _all_but_the_last(judged: JudgedStep) -> tuple[int, Source, Place] | None:
    """Describe a window whose micro-batches were thrown away, except the last.

    One by one, or all at once by a clear that waits for the last: Accelerate's does.
    """
    window, content = judged.window, judged.content
    if window.thrown_by is None or window.written or window.used or not window.one_line:
        return None
    one_by_one = window.thrown == window.made - 1
    at_once = window.thrown == 1 < window.made and (
        window.thrown_mixed or judged.statistics.windows == 1
    )
    if content.count != 1 or not (one_by_one or at_once):
        return None
    # Block coordinate descent: each backward is spent, by one optimizer in turn.
    if window.thrown_spent or window.sources != {content.source}:
        return None
    return window.made, content.source, window.thrown_by.place


def _learn_wasted(judged: JudgedStep) -> None:
    window, statistics = judged.window, judged.statistics
    served = window.used or window.written
    statistics.wasted = {
        source: min(statistics.wasted.get(source, 0) + 1, ENOUGH)
        for source in window.wasted
        if source not in window.lying and not served
    }


def _tell_others(judged: JudgedStep) -> None:
    """Let the other optimizers know that backwards which reached them too are spent here."""
    owner = judged.owner
    for other in judged.books.owners.values():
        if other is owner:
            continue
        for source in other.window.lying.keys() & judged.window.lying.keys():
            other.window.followers.setdefault(source, set()).add(owner.optimizer)
            other.window.singly |= judged.content.count == 1
    for group in owner.groups:
        for other in group.owners if group.account.lots else ():
            other.window.spent_elsewhere |= other is not owner
