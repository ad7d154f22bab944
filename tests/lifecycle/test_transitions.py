"""The transition tables are total, and say what LIFECYCLE says."""

from __future__ import annotations

from itertools import product

import pytest
from traces import (
    Trace,
    assign,
    back,
    build,
    clip,
    flat,
    overwrite,
    rescale,
    step,
    zero,
)

from zerograd.lifecycle import (
    ILLEGAL,
    NOTHING_LIES,
    SCALER_ILLEGAL,
    SCALER_TRANSITIONS,
    TRANSITIONS,
    UNSPENT_LIES,
    Call,
    Ledger,
    Move,
    Stage,
    State,
)

PAIRS = list(product(State, Move))

SGD = build("sgd", "w")
ARRIVALS: dict[State, list[Trace]] = {
    State.EMPTY: [back("w"), step(), zero("w")],
    State.FRESH: [back("w")],
    State.STALE: [back("w"), step()],
    State.MIXED: [back("w"), step(), back("w")],
    State.DISCARDED: [back("w"), zero("w")],
}
EVENTS = {
    Move.DEPOSIT: back("w"),
    Move.ASSIGN: assign("w"),
    Move.RESCALE: rescale("w"),
    Move.OVERWRITE: overwrite("w"),
    Move.CLEAR: zero("w"),
    Move.SPEND: step(),
    Move.CLIP: clip("w"),
}


def arrive(state: State) -> Ledger:
    ledger = Ledger()
    for event in flat([SGD, *ARRIVALS[state]]):
        ledger.post(event)
    return ledger


def illegal(state: State, move: Move) -> list[str]:
    return [rule for pair, rule in ILLEGAL.items() if pair == (state, move)]


@pytest.mark.parametrize("state", State)
def test_every_state_can_be_arrived_at(state: State) -> None:
    (group,) = arrive(state).books.groups

    assert group.account.state is state


@pytest.mark.parametrize(("state", "move"), PAIRS)
def test_the_ledger_moves_its_accounts_by_the_table(state: State, move: Move) -> None:
    ledger = arrive(state)

    ledger.post(EVENTS[move])

    (group,) = ledger.books.groups
    assert group.account.state is TRANSITIONS[state][move]


@pytest.mark.parametrize(("state", "move"), [pair for pair in PAIRS if pair[1] is not Move.CLIP])
def test_the_ledger_finds_a_fault_exactly_where_the_table_has_one(state: State, move: Move) -> None:
    ledger = arrive(state)

    found = [fault.rule for fault in ledger.post(EVENTS[move])]

    assert found == illegal(state, move)


@pytest.mark.parametrize("state", State)
def test_a_clip_is_judged_by_the_table_at_the_next_step(state: State) -> None:
    ledger = arrive(state)

    for event in (clip("w"), zero("w"), back("w")):
        ledger.post(event)

    found = [fault.rule for fault in ledger.post(step())]
    assert found == illegal(state, Move.CLIP)


def test_every_state_knows_every_move() -> None:
    known = {(state, move) for state, moves in TRANSITIONS.items() for move in moves}

    assert known == set(PAIRS)


def test_every_stage_of_a_scaler_knows_every_call() -> None:
    known = {(stage, call) for stage, calls in SCALER_TRANSITIONS.items() for call in calls}

    assert known == set(product(Stage, Call))


@pytest.mark.parametrize("state", State)
def test_a_deposit_leaves_something_unspent(state: State) -> None:
    assert TRANSITIONS[state][Move.DEPOSIT] in UNSPENT_LIES


@pytest.mark.parametrize("state", State)
def test_a_clear_leaves_nothing(state: State) -> None:
    assert TRANSITIONS[state][Move.CLEAR] in NOTHING_LIES


@pytest.mark.parametrize("state", State)
def test_a_spend_leaves_nothing_unspent(state: State) -> None:
    assert TRANSITIONS[state][Move.SPEND] in {State.STALE, State.EMPTY}


@pytest.mark.parametrize("state", State)
def test_an_assignment_replaces_whatever_was_there(state: State) -> None:
    assert TRANSITIONS[state][Move.ASSIGN] is State.FRESH


@pytest.mark.parametrize("move", [Move.RESCALE, Move.CLIP])
@pytest.mark.parametrize("state", State)
def test_a_multiple_changes_nothing(state: State, move: Move) -> None:
    assert TRANSITIONS[state][move] is state


def test_only_a_fresh_account_is_spent_legally() -> None:
    legal = {state for state in State if (state, Move.SPEND) not in ILLEGAL}

    assert legal == {State.FRESH}


def test_only_what_is_unspent_is_clipped_legally() -> None:
    legal = {state for state in State if (state, Move.CLIP) not in ILLEGAL}

    assert legal == UNSPENT_LIES


@pytest.mark.parametrize(("state", "move"), [pair for pair in PAIRS if pair not in ILLEGAL])
def test_what_is_not_spending_or_clipping_is_always_legal(state: State, move: Move) -> None:
    assert move not in {Move.SPEND, Move.CLIP} or state in UNSPENT_LIES


@pytest.mark.parametrize("stage", Stage)
def test_an_update_makes_a_scaler_ready_again_and_is_never_illegal(stage: Stage) -> None:
    assert SCALER_TRANSITIONS[stage][Call.UPDATE] is Stage.READY
    assert (stage, Call.UPDATE) not in SCALER_ILLEGAL


def test_unscale_then_step_is_the_recipe() -> None:
    unscaled = SCALER_TRANSITIONS[Stage.READY][Call.UNSCALE]

    assert (Stage.READY, Call.UNSCALE) not in SCALER_ILLEGAL
    assert (unscaled, Call.STEP) not in SCALER_ILLEGAL
