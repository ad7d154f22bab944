"""The facts of a step: what lies in an optimizer's accounts, and what happened since the last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.verdict import Fact


# Not frozen: watch makes one at each step, and a frozen record takes twice as long to fill.
@record(kw_only=True)
class StepFacts:
    """One step of one optimizer, before it spends; every fact is yes, no or unknown.

    watch builds it from the books (`lifecycle/step_facts.py`), lint from an abstract account
    (`lint/checks/evidence/step_facts.py`).
    """

    empty: Fact
    """Nothing lies in any of its accounts."""

    holds_spent: Fact
    """An account holds nothing but deposits that a step has spent."""

    spent_by_itself: Fact
    """All of those were spent by this optimizer; what only another one spent is shared."""

    holds_mixed: Fact
    """An account holds fresh deposits on top of spent ones."""

    holds_others: Fact
    """While one account holds only spent deposits, another holds fresh ones."""

    left_the_model: Fact
    """Tensors of this optimizer are no longer in the model: stale-optimizer explains the rest."""

    written: Fact
    """Something other than a backward wrote into its gradients since the last step."""

    zeros_given: Fact
    """Tensors of zeros were assigned to its gradients since the last step."""

    deposited: Fact
    """A backward reached it since the last step."""

    thrown_away: Fact
    """A clear threw away deposits that no step had spent."""

    used: Fact
    """Something made use of them before: a copy, a write elsewhere, moved weights."""

    spent_elsewhere: Fact
    """Another optimizer's step spent them before."""

    left_behind: Fact
    """An older deposit lies there that another optimizer's step has spent, in every window."""

    newest_is_its_own: Fact
    """The newest source is spent by this optimizer alone."""

    ever_deposited: Fact
    """A backward or write reached it at some time."""

    deposited_elsewhere: Fact
    """Since the last step a backward or write happened that reached none of its parameters."""

    flushes: Fact
    """This line never spends: it steps once more after two windows or more of several deposits,
    which another line has spent, finds no gradient at all, and changes nothing."""

    skipped: Fact
    """This line spends, but for a step now and then that finds no gradient at all and changes
    nothing: the program left a backward out, as for a loss that is not finite."""

    nothing_in_the_run: Fact
    """Three steps went by, and no backward or write of any kind has happened yet. In source: the
    step's loop computes a loss, and nothing in the program can deposit for this optimizer."""
