"""The transition tables of the account and of the loss scaler, as the model has them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from zerograd.lifecycle import (
    ILLEGAL,
    SCALER_ILLEGAL,
    SCALER_TRANSITIONS,
    TRANSITIONS,
    Call,
    Move,
    Stage,
    State,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

S = TypeVar("S", bound=Enum)
M = TypeVar("M", bound=Enum)


def account_moves() -> str:
    """Return what each move makes of an account."""
    return table(State, Move, TRANSITIONS, ILLEGAL)


def scaler_moves() -> str:
    """Return what each call makes of a loss scaler."""
    return table(Stage, Call, SCALER_TRANSITIONS, SCALER_ILLEGAL)


def table(
    states: Iterable[S],
    moves: Iterable[M],
    transitions: Mapping[S, Mapping[M, S]],
    illegal: Mapping[tuple[S, M], str],
) -> str:
    """Return a row for each move and a column for each state; an illegal move names its rule."""
    columns = list(states)
    head = ["| |", *(f" from {state.value} |" for state in columns)]
    rows = [
        f"| {move.value} | "
        + " | ".join(
            cell(transitions[state][move].value, illegal.get((state, move))) for state in columns
        )
        + " |"
        for move in moves
    ]
    return "\n".join(["".join(head), "|---" * (len(columns) + 1) + "|", *rows])


def cell(to: str, rule: str | None) -> str:
    """Return where a move leads and which rule it may break."""
    return f"{to}, `{rule}`" if rule else to
