"""Verdicts on spending: nothing, twice, or never."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import both, deem, either, no
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.facts import StepFacts
    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict


def spent_twice(facts: StepFacts) -> Verdict | None:
    """The step spends what this optimizer itself has already spent.

    Where other accounts hold fresh deposits, only some parameters got no backward (a mixture of
    experts). That is still spent twice, unless a mixed account makes it missing-zero, or the idle
    tensors have left the model, which stale-optimizer says better.
    """
    explained = both(facts.holds_others, either(facts.holds_mixed, facts.left_the_model))
    return deem(
        "spent-twice",
        Severity.ERROR,
        facts.holds_spent,
        facts.spent_by_itself,
        no(facts.written),
        no(explained),
    )


def step_without_backward(facts: StepFacts) -> Verdict | None:
    """The step finds nothing, and nothing was deposited since the last one.

    Optimizers are stepped once on zero gradients to make their state: before the first deposit it
    takes three steps, and a run without any backward. So are they in tests: who assigns zeros to
    `.grad` gives the step what it is to find.
    """
    # After whole windows a flush for the unfinished last one has nothing to do, and does nothing.
    idle = both(facts.empty, no(facts.deposited), no(facts.written))
    idle = both(idle, no(facts.flushes), no(facts.zeros_given))
    if facts.ever_deposited is False:
        return deem("step-without-backward", Severity.ERROR, idle, facts.nothing_in_the_run)
    harmless = facts.deposited_elsewhere is True or facts.skipped is True
    severity = Severity.HINT if harmless else Severity.ERROR
    return deem("step-without-backward", severity, idle, facts.ever_deposited)


def never_spent(*, deposited: Fact, stepped: Fact, spent_otherwise: Fact) -> Verdict | None:
    """Deposits reach an optimizer that the whole program never steps, and nobody else spends."""
    return deem("never-spent", Severity.WARNING, deposited, no(stepped), no(spent_otherwise))


def step_without_effect(*, found_gradients: Fact, changed_parameters: Fact) -> Verdict | None:
    """Three or more steps found gradients, and none changed a parameter.

    Judged when the run ends, because a gated step (Accelerate) does nothing for a whole window.
    """
    return deem("step-without-effect", Severity.WARNING, found_gradients, no(changed_parameters))
