"""The drawn state machine is the model's: every state, every move that matters, nothing else."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from extension.drawing import PLACES, figure
from extension.moves import account_moves, scaler_moves

from zerograd.lifecycle import ILLEGAL, SCALER_ILLEGAL, TRANSITIONS, Move, State

DRAWING = ET.fromstring(figure())
STATES = [group for group in DRAWING.iter("g") if group.get("class") == "state"]
ARROWS = [group for group in DRAWING.iter("g") if "arrow" in str(group.get("class"))]


def words(group: ET.Element) -> list[str]:
    return [str(text.text) for text in group.iter("text")]


def test_the_states_of_the_picture_are_the_states_of_the_model() -> None:
    assert [group.get("data-state") for group in STATES] == [state.value for state in State]
    assert [words(group) for group in STATES] == [[state.value] for state in State]


def test_the_arrows_are_the_moves_that_change_a_state_or_break_a_rule() -> None:
    drawn = {
        (arrow.get("data-from"), move, arrow.get("data-to"))
        for arrow in ARROWS
        for move in str(arrow.get("data-moves")).split()
    }

    assert drawn == {
        (start.value, move.value, end.value)
        for start, row in TRANSITIONS.items()
        for move, end in row.items()
        if start is not end or (start, move) in ILLEGAL
    }


def test_a_dashed_arrow_names_the_rules_that_its_moves_break() -> None:
    named = {
        (arrow.get("data-from"), rule)
        for arrow in ARROWS
        if arrow.get("class") == "arrow illegal"
        for rule in words(arrow)[1:]
    }

    assert named == {(state.value, rule) for (state, _), rule in ILLEGAL.items()}


def test_no_two_states_are_drawn_in_one_place() -> None:
    assert len(set(PLACES.values())) == len(State)


def test_the_table_of_moves_names_every_state_move_and_rule() -> None:
    table = account_moves()

    assert table.count("\n") == 1 + len(Move)
    assert all(f"from {state.value}" in table for state in State)
    assert all(f"`{rule}`" in table for rule in ILLEGAL.values())


def test_the_scalers_table_names_every_rule_that_a_call_breaks() -> None:
    assert all(f"`{rule}`" in scaler_moves() for rule in SCALER_ILLEGAL.values())
