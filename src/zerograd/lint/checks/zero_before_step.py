"""ZG102: a clear between backward and the step throws away what should be spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import clearing
from zerograd.lint.checks.evidence.case import Case, Draft, callers, skipped_deposit, spot, unsaid
from zerograd.lint.confidence import is_silent
from zerograd.lint.program.syntax import text

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.facts import StepFacts
    from zerograd.lint.interpret.apply_event import Observation


def judge(seen: Observation, case: Case, facts: StepFacts) -> Draft | None:
    """Nothing lies there because a clear threw every deposit away, unused."""
    verdict = clearing.zero_before_step(facts)
    if verdict is None:
        return None
    # Whatever lay there before the backward that was thrown away went with it.
    since = seen.account.thrown[-1].source if seen.account.thrown else -1
    verdict = verdict.assuming({"no-deposit-skipped": not skipped_deposit(seen, case, since)})
    if is_silent(verdict):
        return unsaid(verdict, seen.event, seen.at)
    thrown = seen.account.thrown[-1]
    clear, made = case.event(thrown.clear), case.event(thrown.source)
    message = (
        f"`{text(clear.node)}` throws away the gradients before "
        f"`{text(seen.event.node)}` can spend them"
    )
    evidence = [
        ("deposited here", spot(made)),
        ("nothing left to spend here", spot(seen.event)),
        *callers(clear),
    ]
    return Draft(
        verdict,
        spot(clear),
        message,
        f"move `{text(clear.node)}` before the backward",
        evidence,
        (clear, made, seen.event),
        seen.at,
    )
