"""How loud a finding may be: what each assumption that it rests on leaves of its severity.

A check returns a verdict with the assumptions that it needed, by name. This table is the only
place that turns them into error, warning, hint or silence; the lowest one counts. Each sentence
says what would have to be known, and `zerograd lint --why-silent` shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zerograd.lifecycle.verdicts.verdict import at_most
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zerograd.lifecycle.verdicts.verdict import Verdict


class Assumption(NamedTuple):
    """Something that a verdict takes for granted because lint cannot know it."""

    sentence: str
    """What was not shown, as it reads after "lint could not show that"."""

    most: Severity | None
    """The most that a finding which needs it may be; None: nothing is said."""


SILENCE = None
HINT, WARNING = Severity.HINT, Severity.WARNING

ASSUMPTIONS: Mapping[str, Assumption] = {
    # Whose account it is.
    "optimizer-by-name": Assumption("this is an optimizer: only its name says so", WARNING),
    "optimizer-known": Assumption("this is an ordinary optimizer: its making was not seen", HINT),
    "optimizer-made": Assumption(
        "the optimizer's own step does not clear: it was not read", WARNING
    ),
    "optimizers-built": Assumption("every optimizer here holds what it seems to hold", HINT),
    "one-optimizer": Assumption("the expression stands for one and the same optimizer", SILENCE),
    "told-apart": Assumption("what is done to the other optimizer is not done to this one", HINT),
    "alone": Assumption("no other optimizer that is stepped trains the same parameters", HINT),
    "deposit-is-its-own": Assumption("the backward reaches this optimizer", SILENCE),
    "reach-is-sure": Assumption("the loss surely reaches this optimizer's parameters", SILENCE),
    "clear-is-its-own": Assumption("the clear takes in this optimizer's parameters", SILENCE),
    # What cannot be followed.
    "account-followed": Assumption(
        "what happened to the gradients before can be followed", SILENCE
    ),
    "optimizer-kept": Assumption(
        "nothing that cannot be followed was given the optimizer and clears or steps it", HINT
    ),
    "nothing-unfollowed": Assumption("no call that cannot be followed touches everything", WARNING),
    "nothing-hidden": Assumption("no call that cannot be followed does what is missing", SILENCE),
    "no-hidden-update": Assumption("no call that cannot be followed updates the scaler", SILENCE),
    "ordinary-methods": Assumption("no method of the optimizer uses the gradients itself", HINT),
    "mentions-understood": Assumption(
        "what stands nearby and was not understood is not what is missing", HINT
    ),
    "quiet-forward": Assumption("no module behind the loss clears gradients in its forward", HINT),
    "loss-followed": Assumption("every call behind the loss was followed", HINT),
    "modules-known": Assumption("every module behind the loss is known", SILENCE),
    "no-step-hook": Assumption("no hook on the optimizer's step clears", SILENCE),
    "no-framework-deposit": Assumption("nothing else in the file calls backward", SILENCE),
    # Which path is taken, and whether it is meant.
    "one-branch": Assumption("the tests on this path can all go this way at once", HINT),
    "counted-so": Assumption("the counters can stand as this path needs them", SILENCE),
    "on-every-path": Assumption("it happens on every path to this line", SILENCE),
    "no-deposit-skipped": Assumption("the branch past the backward is not meant", SILENCE),
    "not-a-flush": Assumption("the step after the loop is not there for what is left", SILENCE),
    "in-a-training-loop": Assumption("this is a training loop, not a demonstration", SILENCE),
    "clear-not-switched-off": Assumption("the switch around the clear is not meant", SILENCE),
    "not-switched-off": Assumption(
        "the step is missing by mistake: it stands there as a comment", HINT
    ),
    "gradients-unread": Assumption("nothing reads the gradients instead of a step", HINT),
    "meant-to-learn": Assumption(
        "the module in eval mode is meant to learn from the loss", SILENCE
    ),
    "not-frozen": Assumption("the parameters are not frozen here", SILENCE),
    # What stands between two calls of a function that nothing here calls.
    "called-again": Assumption("the function is called again: its caller was not seen", WARNING),
    "kept-between-calls": Assumption("the next call meets the same optimizer", SILENCE),
    "cleared-nowhere-else": Assumption("nothing clears between two calls of the function", SILENCE),
    "base-does-not-clear": Assumption(
        "the base class, which was not read, does not clear before it calls this", HINT
    ),
    # What was done by hand.
    "not-written": Assumption("what was written into `.grad` left the old deposits there", SILENCE),
    "not-reduced-by-hand": Assumption("the gradients are not reduced by hand", SILENCE),
    "choice-computed": Assumption("`no_sync` is chosen just where the step is due", SILENCE),
    "scaler-is-on": Assumption("the scaler is on", SILENCE),
    "deposit-is-unscaled": Assumption("the deposit was not scaled", SILENCE),
    "still-scaled": Assumption("no `unscale_` before the clip is for this optimizer", HINT),
    "scaler-known": Assumption("this is a loss scaler: only its name says so", WARNING),
    "limit-is-unscaled": Assumption("the clip's limit does not carry the scale itself", SILENCE),
    "graph-cut-always": Assumption("no test lets the deposit run with gradients on", HINT),
    # What a window is divided by.
    "not-divided-by-caller": Assumption("the caller does not divide the loss", SILENCE),
    "divisor-would-show": Assumption(
        "a divisor would show: the window's length has no name", SILENCE
    ),
    "division-is-chosen": Assumption(
        "the test around the division is not true in every accumulation", HINT
    ),
    "factor-is-no-divisor": Assumption("the factor in the loss is not the window's", SILENCE),
    "mean-reduced": Assumption("the loss is a mean", SILENCE),
    "window-declared": Assumption("the loop is an accumulation: nothing in it says so", HINT),
    "counts-differ": Assumption("the micro-batches hold different numbers of items", HINT),
    "divisor-differs": Assumption("the divisor is not the window's length", SILENCE),
    "longer-first-window": Assumption("the longer first window is not meant", HINT),
    "tail-exists": Assumption("the data does not fill whole windows: its length is unknown", HINT),
    # Who holds what.
    "sets-known": Assumption("the parameters of every optimizer are known", SILENCE),
    "sets-overlap": Assumption("the two optimizers hold the same parameters", SILENCE),
    "module-by-name": Assumption("the module is meant: only its name says so", WARNING),
}
"""Every assumption by name; a test finds those that no check uses."""


def is_silent(verdict: Verdict) -> bool:
    """Tell whether a verdict rests on an assumption that allows no finding."""
    return any(ASSUMPTIONS[name].most is None for name in verdict.assumptions)


def weigh(verdict: Verdict) -> Verdict | None:
    """Return a verdict as loud as its assumptions leave it; None when nothing is to be said."""
    for name in verdict.assumptions:
        most = ASSUMPTIONS[name].most
        if most is None:
            return None
        verdict = at_most(verdict, most)
    return verdict
