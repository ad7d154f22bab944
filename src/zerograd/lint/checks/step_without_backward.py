"""ZG301: a step with nothing deposited since the last one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, callers, spot
from zerograd.lint.syntax import text

if TYPE_CHECKING:
    from zerograd.lint.interpret.apply import Observation


def judge(seen: Observation, case: Case) -> Draft | None:
    """Empty, and nothing was deposited or thrown away since the last step, on every way here."""
    account = seen.account
    if not account.begun or not _idle(seen):
        return None
    if not all(_idle(other) for other in case.meetings(seen.event, seen.at)
               if other.account.begun):
        return None
    label = case.holder(seen.at).label
    message = f"`{text(seen.event.node)}` spends nothing: no backward since the last step of `{label}`"
    evidence = callers(seen.event)
    if account.spender >= 0:
        evidence = [("the last step", spot(case.event(account.spender))), *evidence]
    return Draft("step-without-backward", spot(seen.event), message, case.severity(seen.at),
                 "call `loss.backward()` before this step", evidence, (seen.event,), seen.at)


def _idle(seen: Observation) -> bool:
    account = seen.account
    return account.empty and not account.thrown and not account.moved and not account.frozen
