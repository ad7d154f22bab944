"""What an engine refuses, by situation: the verdict, from facts that the engine knows.

An engine makes only legal moves. What others do to its accounts, and its own calls in a wrong
order, it refuses by the same verdicts that watch and lint report, so that code and page are the
same for all three. The engine names a situation and no rule; `rules/refusals.py` has the words.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from zerograd.lifecycle.transitions import Call, Move
from zerograd.lifecycle.verdicts.accumulation import (
    SumFacts,
    tail_dropped,
    tail_leaks,
    wrong_divisor,
)
from zerograd.lifecycle.verdicts.graph import backward_without_graph
from zerograd.lifecycle.verdicts.one_sided import one_sided
from zerograd.lifecycle.verdicts.ownership import dead_parameter, shared_parameter
from zerograd.lifecycle.verdicts.ranks import closing_alone
from zerograd.lifecycle.verdicts.scaling import scaled_step
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
        Move.ASSIGN: "leaked-deposit",
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


def _spoils(move: Outside) -> Verdict | None:
    return interference(move, window_is_open=True)


def _comes_late(move: Outside) -> Verdict | None:
    return interference(move, window_is_open=False)


# An engine's window is the plain sum of its deposits, and the engine divides it: what divides it
# once more divides a whole window by another number than that of its deposits.
_DIVIDED_AGAIN = wrong_divisor(
    SumFacts(several=True, written=False, singly=False),
    grows=False,
    differs=True,
    whole=True,
    short=False,
)
_SCALED_OUTSIDE = scaled_step(
    through_scaler=False, enabled=True, scaled=True, plain=False, written=False
)
_WITHOUT_GRAPH = backward_without_graph(no_graph=True, reached=False)
_LEFT_OVER = tail_dropped(regular=True, unfinished=True)
_UNREACHED = dead_parameter(ever_deposited=False, others_deposited=True, whole=True)
_OWNED_TWICE = shared_parameter(spent_by_both=True)

REFUSED: Mapping[str, Verdict | None] = MappingProxyType(
    {
        # In an open window: the engine will spend these deposits itself.
        "step-in-window": _spoils(Move.SPEND),
        "step-of-another": _spoils(Move.SPEND),
        "weights-written-in-window": _spoils(Move.SPEND),
        "second-backward-in-step": _spoils(Move.SPEND),
        "clear-in-window": _spoils(Move.CLEAR),
        "grad-cleared-in-window": _spoils(Move.CLEAR),
        "parameter-left-in-window": _spoils(Move.CLEAR),
        "closure-in-window": _spoils(Move.CLEAR),
        "clip-in-window": _spoils(Move.CLIP),
        "backward-in-window": _spoils(Move.DEPOSIT),
        "grad-written-in-window": _spoils(Move.ASSIGN),
        # The deposits lie elsewhere than in the accounts, as if somebody had written them there.
        "sum-out-of-reach": _spoils(Move.ASSIGN),
        "unscale": _spoils(Call.UNSCALE),
        "scaler-update": _spoils(Call.UPDATE),
        # Between windows: the engine has stepped and cleared.
        "step-between-windows": _comes_late(Move.SPEND),
        "nothing-to-spend": _comes_late(Move.SPEND),
        "closure-without-backward": _comes_late(Move.SPEND),
        "closure-not-evaluated": _comes_late(Move.SPEND),
        "clip-between-windows": _comes_late(Move.CLIP),
        "backward-between-windows": _comes_late(Move.DEPOSIT),
        "grad-written-between-windows": _comes_late(Move.ASSIGN),
        # What a loss brings with it.
        "loss-without-graph": _WITHOUT_GRAPH,
        "loss-divided": _DIVIDED_AGAIN,
        "loss-of-another-reduction": _DIVIDED_AGAIN,
        "accumulate-in-window": _DIVIDED_AGAIN,
        "loss-scaled-twice": _SCALED_OUTSIDE,
        "loss-scaled-by-another": _SCALED_OUTSIDE,
        "loss-reaches-nothing": _UNREACHED,
        "loss-reaches-a-part": _UNREACHED,
        # Whose parameter it is.
        "twice-in-an-optimizer": shared_parameter(given_twice=True),
        "two-optimizers": shared_parameter(given_twice=True),
        "two-engines": _OWNED_TWICE,
        "another-engine-is-open": _OWNED_TWICE,
        "another-engine-followed": _OWNED_TWICE,
        # What the data leaves over.
        "tail": _LEFT_OVER,
        "tail-ahead": _LEFT_OVER,
        "tail-of-ranks": _LEFT_OVER,
        "tail-of-another-engine": tail_leaks(spans_epochs=True, unfinished=True),
        # Over ranks.
        "model-bypassed": closing_alone(
            closes_window=True, synced=False, written=False, bypassed=True
        ),
        "closes-unreduced": closing_alone(
            closes_window=True, synced=False, written=False, bypassed=False
        ),
        "ranks-hold-others": one_sided("ranks-diverge"),
        "ranks-reduce-apart": one_sided("ranks-diverge"),
        "ranks-count-apart": one_sided("ranks-diverge"),
        "ranks-call-apart": one_sided("ranks-diverge"),
        "ranks-call-in-several-ways": one_sided("ranks-diverge"),
        "rank-without-answer": one_sided("ranks-diverge"),
        "ranks-elsewhere": one_sided("ranks-diverge"),
    }
)
"""Every situation that an engine refuses by a rule, with the verdict on it."""


def broken_rule(situation: str) -> str:
    """Return the name of the rule that a situation breaks.

    >>> broken_rule("clear-in-window")
    'zero-inside-window'
    """
    verdict = REFUSED[situation]
    if verdict is None:
        raise LookupError(f"no rule forbids {situation}")
    return verdict.rule
