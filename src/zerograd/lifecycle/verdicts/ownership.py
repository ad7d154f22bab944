"""Verdicts on ownership: who holds which parameters, and who gets nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import deem, either, no
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict


def shared_parameter(
    *, given_twice: Fact = False, spent_by_both: Fact = False, sibling_left_out: Fact = False
) -> Verdict | None:
    """One tensor is given twice, in one of three ways.

    One construction repeats a term; or two optimizers spend one deposit, two windows running; or
    two are stepped over the identical set while a sibling module is in none.
    """
    return deem(
        "shared-parameter", Severity.ERROR, either(given_twice, spent_by_both, sibling_left_out)
    )


def stale_optimizer(*, holds_replaced: Fact, successor_trains: Fact) -> Verdict | None:
    """Tensors of an optimizer left the model, and what took their place is in no optimizer."""
    return deem("stale-optimizer", Severity.ERROR, holds_replaced, successor_trains)


def orphan_parameter(*, deposited: Fact, held: Fact, used: Fact, meant: Fact) -> Verdict | None:
    """Parameters are trained and in no optimizer.

    A linear probe leaves the whole trunk out on purpose: it is a warning only where something
    shows that they were meant to be held.
    """
    severity = Severity.WARNING if meant is True else Severity.HINT
    return deem("orphan-parameter", severity, deposited, no(held), no(used))


def dead_parameter(*, ever_deposited: Fact, others_deposited: Fact, whole: Fact) -> Verdict | None:
    """An optimizer holds parameters that no backward ever reached, while it reached others.

    A whole called module that gets nothing is a warning.
    """
    severity = Severity.WARNING if whole is True else Severity.HINT
    return deem("dead-parameter", severity, no(ever_deposited), others_deposited)
