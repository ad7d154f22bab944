"""Bound the number of states: give up the optimizer that makes most of them, and follow the others.

Eight optimizers that each may or may not step are 256 states, and what is wrong with one of them
seldom depends on the other seven. An account that was given up stays unknown: nothing is concluded
about it, and reach says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.analysis_budget import UnseenError
from zerograd.lint.events.accounts import transitions
from zerograd.lint.interpret.state import AbstractStates

if TYPE_CHECKING:
    from zerograd.lint.interpret.plan import RootPlan
    from zerograd.lint.interpret.state import AbstractState

MOST_STATES = 256


def narrowed(states: AbstractStates, plan: RootPlan) -> AbstractStates:
    """Return at most `MOST_STATES` states; raises UnseenError when nothing would be left."""
    states = without_lost(states, plan)
    while len(states) > MOST_STATES:
        values = [
            (len({state.accounts[at] for state in states}), -at)
            for at in range(len(plan.holders))
            if at not in plan.lost
        ]
        if len(values) < 2:
            raise UnseenError(f"more than {MOST_STATES} states")
        plan.lost.add(-max(values)[1])
        states = without_lost(states, plan)
    return states


def without_lost(states: AbstractStates, plan: RootPlan) -> AbstractStates:
    """Return the states with the accounts unknown that were given up."""
    return AbstractStates(_blurred(state, plan) for state in states) if plan.lost else states


def _blurred(state: AbstractState, plan: RootPlan) -> AbstractState:
    state = state.copy()
    state.accounts = tuple(
        transitions.forget(item) if at in plan.lost else item
        for at, item in enumerate(state.accounts)
    )
    return state
