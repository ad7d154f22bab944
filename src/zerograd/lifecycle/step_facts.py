"""The facts of a step that happened: each is read off the books, and none is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.habits import ENOUGH
from zerograd.lifecycle.model_membership import is_replaced
from zerograd.lifecycle.transitions import NOTHING_LIES, State
from zerograd.lifecycle.verdicts.facts import StepFacts

if TYPE_CHECKING:
    from zerograd.lifecycle.settlement import Settlement


def step_facts(settlement: Settlement) -> StepFacts:
    """Return what a step is judged by; its window has already been counted among the habits."""
    books, owner, window = settlement.books, settlement.owner, settlement.window
    states = {cell.account.state for cell in owner.cells}
    holds_spent = State.STALE in states
    holds_others = not states <= NOTHING_LIES | {State.STALE}
    return StepFacts(
        empty=states <= NOTHING_LIES,
        holds_spent=holds_spent,
        spent_by_itself=holds_spent and _spent_all(settlement),
        holds_mixed=State.MIXED in states,
        holds_others=holds_others,
        # Looked up only where it can matter: it goes through all modules.
        left_the_model=holds_spent and holds_others and is_replaced(books, owner, idle=0),
        written=window.written,
        deposited=window.made > 0,
        thrown_away=window.thrown_by is not None and State.DISCARDED in states,
        used=window.used,
        spent_elsewhere=window.spent_elsewhere,
        left_behind=bool(left_behind(settlement)),
        newest_is_its_own=_newest_is_its_own(settlement),
        ever_deposited=owner.ever_deposited,
        deposited_elsewhere=window.elsewhere,
        nothing_in_the_run=owner.steps >= ENOUGH and not books.ever_deposited,
    )


def _spent_all(settlement: Settlement) -> bool:
    owner = settlement.owner
    return all(owner.optimizer in cell.account.spenders for cell in owner.holding(State.STALE))


def left_behind(settlement: Settlement) -> list[object]:
    """Return the places of older deposits that another optimizer spends, in every window.

    One window is not enough: in the first, whoever spends the newest source after this step has
    not been seen yet.
    """
    newest, lying = settlement.window.newest, settlement.window.lying
    if newest is None or newest.source not in lying or settlement.habits.windows < 2:
        return []
    followers = settlement.habits.followers
    return [
        deposit.place
        for source, deposit in lying.items()
        if source != newest.source and followers.get(source)
    ]


def _newest_is_its_own(settlement: Settlement) -> bool:
    newest = settlement.window.newest
    if newest is None:
        return False
    return not settlement.books.others_spend(newest.source, settlement.owner)
