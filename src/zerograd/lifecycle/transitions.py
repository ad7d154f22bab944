"""The transition table: what each move makes of an account, and which moves are illegal.

The ledger moves its accounts by this table, and so can anything that follows sets of possible
states. It knows one account at a time: that *every* account of an optimizer is empty, that a
deposit was used before it was cleared, what a window looked like before, is the ledger's to know.
An illegal move is therefore a suspicion, and no fault is found on an account without one.
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class State(Enum):
    """What lies in an account."""

    EMPTY = "empty"
    """Nothing: None or zero."""

    FRESH = "fresh"
    """Deposits that no step has spent."""

    STALE = "stale"
    """Deposits that a step has spent, still lying there."""

    MIXED = "mixed"
    """Fresh deposits on top of stale ones."""

    DISCARDED = "discarded"
    """Nothing, because fresh deposits were cleared before a step could spend them."""

    # Enum hashes the member's name, in Python, at each look into the table.
    __hash__ = object.__hash__


class Move(Enum):
    """What can happen to an account."""

    DEPOSIT = "deposit"
    """`backward()` adds."""

    ASSIGN = "assign"
    """`p.grad = tensor`: another tensor takes the place of what was there."""

    RESCALE = "rescale"
    """An in-place multiple of what lies there: clipping by hand, division, decay."""

    OVERWRITE = "overwrite"
    """Any other in-place write: `copy_`, noise."""

    CLEAR = "clear"
    """None or zero afterwards, however it was done."""

    SPEND = "spend"
    """A step uses what lies there."""

    CLIP = "clip"
    """A clip, which moves nothing."""

    __hash__ = object.__hash__


_STATES = (State.EMPTY, State.FRESH, State.STALE, State.MIXED, State.DISCARDED)

_EMPTY, _FRESH, _STALE, _MIXED, _DISCARDED = _STATES

# fmt: off
_ROWS = {
    #                from EMPTY   FRESH       STALE   MIXED       DISCARDED
    Move.DEPOSIT:   (_FRESH,     _FRESH,     _MIXED, _MIXED,     _FRESH),
    Move.ASSIGN:    (_FRESH,     _FRESH,     _FRESH, _FRESH,     _FRESH),
    Move.RESCALE:   (_EMPTY,     _FRESH,     _STALE, _MIXED,     _DISCARDED),
    Move.OVERWRITE: (_FRESH,     _FRESH,     _FRESH, _MIXED,     _FRESH),
    Move.CLEAR:     (_EMPTY,     _DISCARDED, _EMPTY, _DISCARDED, _DISCARDED),
    Move.SPEND:     (_EMPTY,     _STALE,     _STALE, _STALE,     _EMPTY),
    Move.CLIP:      (_EMPTY,     _FRESH,     _STALE, _MIXED,     _DISCARDED),
}
# fmt: on

TRANSITIONS: Mapping[State, Mapping[Move, State]] = MappingProxyType(
    {
        state: MappingProxyType({move: row[column] for move, row in _ROWS.items()})
        for column, state in enumerate(_STATES)
    }
)
"""The state that a move leads to."""

ILLEGAL: Mapping[tuple[State, Move], str] = MappingProxyType(
    {
        (State.EMPTY, Move.SPEND): "step-without-backward",
        (State.STALE, Move.SPEND): "spent-twice",
        (State.MIXED, Move.SPEND): "missing-zero",
        (State.DISCARDED, Move.SPEND): "zero-before-step",
        (State.EMPTY, Move.CLIP): "clip-before-backward",
        (State.DISCARDED, Move.CLIP): "clip-before-backward",
        (State.STALE, Move.CLIP): "clip-after-step",
    }
)
"""The rule that a move breaks, if nothing else excuses it."""

NOTHING_LIES = frozenset({State.EMPTY, State.DISCARDED})
"""The states without a value."""

UNSPENT_LIES = frozenset({State.FRESH, State.MIXED})
"""The states that hold something no step has spent."""


class Stage(Enum):
    """How far a loss scaler is with one optimizer, from one `update()` to the next."""

    READY = "ready"
    UNSCALED = "unscaled"
    ABANDONED = "abandoned"
    """Unscaled, and then cleared without a step."""
    STEPPED = "stepped"


class Call(Enum):
    """What is asked of a loss scaler."""

    UNSCALE = "unscale"
    STEP = "step"
    UPDATE = "update"
    CLEAR = "clear"
    """Not asked of the scaler, but it takes away what was unscaled."""


_READY, _UNSCALED, _ABANDONED, _STEPPED = Stage

# fmt: off
_STAGES = {
    #              from READY  UNSCALED    ABANDONED   STEPPED
    Call.UNSCALE: (_UNSCALED, _UNSCALED,  _UNSCALED,  _UNSCALED),
    Call.STEP:    (_STEPPED,  _STEPPED,   _STEPPED,   _STEPPED),
    Call.UPDATE:  (_READY,    _READY,     _READY,     _READY),
    Call.CLEAR:   (_READY,    _ABANDONED, _ABANDONED, _STEPPED),
}
# fmt: on

SCALER_TRANSITIONS: Mapping[Stage, Mapping[Call, Stage]] = MappingProxyType(
    {
        stage: MappingProxyType({call: row[column] for call, row in _STAGES.items()})
        for column, stage in enumerate(Stage)
    }
)
"""The stage that a call leads to."""

SCALER_ILLEGAL: Mapping[tuple[Stage, Call], str] = MappingProxyType(
    {
        (Stage.UNSCALED, Call.UNSCALE): "unscaled-twice",
        (Stage.ABANDONED, Call.UNSCALE): "scaler-not-updated",
        (Stage.ABANDONED, Call.STEP): "scaler-not-updated",
        (Stage.STEPPED, Call.UNSCALE): "scaler-not-updated",
        (Stage.STEPPED, Call.STEP): "scaler-not-updated",
    }
)
"""The rule that a call breaks."""
