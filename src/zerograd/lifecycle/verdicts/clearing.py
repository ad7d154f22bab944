"""Verdicts on clearing: too late, too early, at the wrong place, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import deem, no
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.facts import StepFacts
    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict


def missing_zero(facts: StepFacts) -> Verdict | None:
    """Fresh deposits lie on top of spent ones: the step spends those a second time."""
    return deem("missing-zero", Severity.ERROR, facts.holds_mixed)


def leaked_deposit(facts: StepFacts) -> Verdict | None:
    """The step also spends what another optimizer's backward left behind.

    The generator's loss goes through the discriminator and deposits there. Whoever steps the
    discriminator without a clear spends it too. It may be meant (an encoder that learns from two
    losses), so that it is never more than a warning.
    """
    return deem("leaked-deposit", Severity.WARNING, facts.left_behind, facts.newest_is_its_own)


def zero_before_step(facts: StepFacts) -> Verdict | None:
    """A clear threw away all that the step should have spent, and nothing had used it."""
    return deem(
        "zero-before-step",
        Severity.ERROR,
        facts.empty,
        facts.thrown_away,
        no(facts.used),
        no(facts.spent_elsewhere),
    )


def zero_inside_window(*, all_but_last_thrown: Fact, used: Fact, meant: Fact) -> Verdict | None:
    """Each micro-batch throws away the one before, on one line and in every window.

    A window that nothing in the source declares may just be a loop that evaluates in between.
    """
    severity = Severity.ERROR if meant is True else Severity.HINT
    return deem("zero-inside-window", severity, all_but_last_thrown, no(used))


def zero_outside_closure(*, evaluated_again: Fact, holds_mixed: Fact) -> Verdict | None:
    """A later evaluation of a closure deposits on top of an earlier one."""
    return deem("zero-outside-closure", Severity.ERROR, evaluated_again, holds_mixed)


def wasted_deposit(*, in_every_window: Fact, used: Fact) -> Verdict | None:
    """A source is computed and thrown away, window after window."""
    return deem("wasted-deposit", Severity.HINT, in_every_window, no(used))
