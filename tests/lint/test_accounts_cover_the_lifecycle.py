"""Lint's abstract accounts cover the lifecycle's: whatever can happen, lint reckons with it.

A walk over all that can be reached: a concrete state and an abstract account move side by side,
and the state must stay among those that the account allows.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from zerograd.lifecycle import TRANSITIONS, Move, State
from zerograd.lint.events.accounts import (
    EMPTY,
    UNKNOWN,
    AbstractAccount,
    Deposit,
    ThrownDeposit,
    transitions,
)

Abstract = Callable[[AbstractAccount], AbstractAccount]

SURE: dict[Move, list[Abstract]] = {
    Move.DEPOSIT: [
        lambda account: transitions.deposit(account, 1, scaled=False),
        lambda account: transitions.deposit(account, 2, scaled=True),
    ],
    Move.ASSIGN: [lambda account: transitions.write(account, assigns=True)],
    Move.RESCALE: [lambda account: transitions.write(account, assigns=False)],
    Move.OVERWRITE: [lambda account: transitions.write(account, assigns=False)],
    Move.CLEAR: [
        lambda account: transitions.clear(account, 3, keeps_zeros=None),
        lambda account: transitions.clear(account, 3, keeps_zeros=True, fills=True),
    ],
    Move.SPEND: [lambda account: transitions.step(account, 4)],
    Move.CLIP: [lambda account: transitions.clip(account, 5)],
}
"""What lint does with an event that surely touches an account."""

PERHAPS: dict[Move, list[Abstract]] = {
    Move.DEPOSIT: [transitions.maybe_deposit],
    Move.CLEAR: [transitions.maybe_clear],
}
"""What it does with one that may touch it, or not."""

BESIDE: list[Abstract] = [
    transitions.use,
    transitions.unscale,
    lambda account: transitions.spent_elsewhere(account, frozenset({1}), 6),
]
"""What moves no deposits of this account."""

Pair = tuple[State, AbstractAccount]

STARTS: list[Pair] = [(State.EMPTY, EMPTY), *((state, UNKNOWN) for state in State)]


def allowed(account: AbstractAccount) -> set[State]:
    """Return the states that an account may stand for."""
    if account.fresh:
        surely = {State.FRESH, State.MIXED}
    elif account.stale:
        surely = {State.STALE, State.MIXED}
    elif account.thrown:
        surely = {State.DISCARDED}
    else:
        surely = {State.EMPTY, State.DISCARDED}
    if account.stale:
        surely &= {State.STALE, State.MIXED}
    if not account.extra:
        return surely - {State.MIXED} if not (account.stale and account.fresh) else surely
    return surely if account.fresh or account.stale else set(State)


def plain(account: AbstractAccount) -> AbstractAccount:
    """Return an account without its marks: who used, clipped or scaled a deposit moves nothing."""
    return AbstractAccount(
        fresh=tuple(Deposit(item.source) for item in account.fresh),
        stale=account.stale,
        extra=account.extra,
        thrown=tuple(ThrownDeposit(item.source, item.clear, used=False) for item in account.thrown),
        written=account.written,
    )


def after(pair: Pair) -> set[Pair]:
    """Return all that one event can make of a pair."""
    state, account = pair
    sure = {
        (TRANSITIONS[state][move], change(account))
        for move, changes in SURE.items()
        for change in changes
    }
    perhaps = {
        (then, change(account))
        for move, changes in PERHAPS.items()
        for change in changes
        for then in (state, TRANSITIONS[state][move])
    }
    beside = {(state, change(account)) for change in BESIDE}
    anything = {(then, transitions.forget(account)) for then in State}
    return sure | perhaps | beside | anything


def reached(starts: list[Pair]) -> set[Pair]:
    """Return every pair that events can lead to."""
    found, todo = set(starts), list(starts)
    while todo:
        news = {(state, plain(account)) for state, account in after(todo.pop())} - found
        found |= news
        todo += news
    return found


@pytest.fixture(scope="module")
def pairs() -> set[Pair]:
    return reached(STARTS)


def test_no_state_is_reached_that_the_abstract_account_rules_out(pairs: set[Pair]) -> None:
    uncovered = {(state.name, account) for state, account in pairs if state not in allowed(account)}

    assert uncovered == set()


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("move", Move)
def test_the_walk_makes_every_move_from_every_state_on_an_account_that_is_known(
    state: State, move: Move, pairs: set[Pair]
) -> None:
    known = [account for reached, account in pairs if reached is state and not account.extra]

    assert known
    assert move in TRANSITIONS[state]


def test_a_known_account_allows_one_state_or_tells_two_kinds_of_nothing_apart() -> None:
    fresh, stale = AbstractAccount(fresh=(Deposit(1),)), AbstractAccount(stale=(1,))
    mixed = AbstractAccount(fresh=(Deposit(1),), stale=(2,))

    assert [allowed(item) for item in (EMPTY, fresh, stale, mixed, UNKNOWN)] == [
        {State.EMPTY, State.DISCARDED},
        {State.FRESH},
        {State.STALE},
        {State.MIXED},
        set(State),
    ]


def test_an_account_that_forgets_a_spend_is_found_out() -> None:
    state, account = TRANSITIONS[State.FRESH][Move.SPEND], AbstractAccount(fresh=(Deposit(1),))

    assert state not in allowed(account)
