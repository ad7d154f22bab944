"""What somebody else does to an account that an engine owns: the rule that it breaks.

An engine makes only legal moves. What another line does to its accounts is refused by the same
rules that watch and lint find it by, so that code and page are the same for all three.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from zerograd.lifecycle.transitions import Call, Move
from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

Outside: TypeAlias = Move | Call
"""A move on an account, or a call of its scaler, that is not the engine's own."""

IN_A_WINDOW: Mapping[Outside, str] = MappingProxyType(
    {
        Move.SPEND: "spent-twice",
        Move.CLEAR: "zero-inside-window",
        Move.CLIP: "clip-inside-window",
        Move.DEPOSIT: "leaked-deposit",
        Move.ASSIGN: "leaked-deposit",
        Move.RESCALE: "leaked-deposit",
        Move.OVERWRITE: "leaked-deposit",
        Call.UNSCALE: "unscaled-twice",
        Call.UPDATE: "scaled-step",
    }
)
"""While the engine's window is open: it will spend these deposits itself."""

BETWEEN_WINDOWS: Mapping[Outside, str] = MappingProxyType(
    {
        Move.SPEND: "step-without-backward",
        Move.CLIP: "clip-after-step",
        Move.DEPOSIT: "never-spent",
        Call.UNSCALE: "unscaled-twice",
        Call.UPDATE: "scaled-step",
    }
)
"""After the engine has stepped and cleared; what is not here does no harm then."""


def interference(move: Outside, *, window_is_open: bool) -> Verdict | None:
    """Return the rule that a move on an engine's account breaks, if it breaks one.

    >>> interference(Move.CLEAR, window_is_open=True).rule
    'zero-inside-window'
    >>> interference(Move.CLEAR, window_is_open=False) is None
    True
    """
    rule = (IN_A_WINDOW if window_is_open else BETWEEN_WINDOWS).get(move)
    return None if rule is None else Verdict(rule, Severity.ERROR)
