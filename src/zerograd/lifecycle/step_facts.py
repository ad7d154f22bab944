"""Read the facts of a step that happened off the books; none of them is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.events import Effect
from zerograd.lifecycle.model_membership import is_replaced
from zerograd.lifecycle.transitions import NOTHING_LIES, State
from zerograd.lifecycle.verdicts.facts import StepFacts
from zerograd.lifecycle.window_statistics import ENOUGH

if TYPE_CHECKING:
    from zerograd.lifecycle.judged_step import JudgedStep

IDLE_STEP = 2
"""What a step that finds nothing costs, in windows that were spent before it."""


def step_facts(judged: JudgedStep) -> StepFacts:
    """Return what a step is judged by; its window has already been counted among the statistics."""
    books, owner, window = judged.books, judged.owner, judged.window
    states = {group.account.state for group in owner.groups}
    holds_spent = State.STALE in states
    holds_others = not states <= NOTHING_LIES | {State.STALE}
    return StepFacts(
        empty=states <= NOTHING_LIES,
        holds_spent=holds_spent,
        spent_by_itself=holds_spent and _spent_all(judged),
        holds_mixed=State.MIXED in states,
        holds_others=holds_others,
        # Looked up only where it can matter: it goes through all modules.
        left_the_model=holds_spent and holds_others and is_replaced(books, owner, idle=0),
        written=window.written,
        zeros_given=window.zeros_given,
        deposited=window.made > 0,
        thrown_away=window.thrown_by is not None and State.DISCARDED in states,
        used=window.used,
        spent_elsewhere=window.spent_elsewhere,
        left_behind=bool(left_behind(judged)),
        newest_is_its_own=_newest_is_its_own(judged),
        ever_deposited=owner.ever_deposited,
        deposited_elsewhere=window.elsewhere,
        flushes=_flushes(judged),
        skipped=_excused(judged) and judged.event.place in owner.spends_at,
        nothing_in_the_run=owner.steps >= ENOUGH and not books.ever_deposited,
    )


def _flushes(judged: JudgedStep) -> bool:
    accumulates = judged.statistics.full > 1
    elsewhere = judged.event.place not in judged.owner.spends_at
    return accumulates and elsewhere and _excused(judged)


def _excused(judged: JudgedStep) -> bool:
    """Whether a step that finds nothing changes nothing, and is the exception."""
    still = judged.event.effect is Effect.STILL
    return still and judged.owner.idle_credit >= IDLE_STEP


def _spent_all(judged: JudgedStep) -> bool:
    owner = judged.owner
    return all(owner.optimizer in group.account.spenders for group in owner.holding(State.STALE))


def left_behind(judged: JudgedStep) -> list[object]:
    """Return the places of older deposits that another optimizer spends, in every window.

    One window is not enough: in the first, whoever spends the newest source after this step has
    not been seen yet.
    """
    newest, lying = judged.window.newest, judged.window.lying
    if newest is None or newest.source not in lying or judged.statistics.windows < 2:
        return []
    followers = judged.statistics.followers
    return [
        deposit.place
        for source, deposit in lying.items()
        if source != newest.source and followers.get(source)
    ]


def _newest_is_its_own(judged: JudgedStep) -> bool:
    newest = judged.window.newest
    if newest is None:
        return False
    return not judged.books.others_spend(newest.source, judged.owner)
