"""ZG207: a scheduler that advances at each micro-batch while the optimizer steps once a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, callers, spot
from zerograd.lint.checks.windows import each_micro_batch, windows
from zerograd.lint.knowledge import Effect
from zerograd.lint.syntax import text
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(case: Case) -> Iterator[Draft]:
    """Scheduler steps in the deposit's loop and not under the step's test."""
    for window in windows(case):
        if (
            window.gated
            or len(
                {
                    item.number
                    for item in case.plan.events
                    if item.effect is Effect.STEP and not item.manual
                }
            )
            > 1
        ):
            continue
        if not any(
            fresh.many
            for seen in case.meetings(window.step, window.at)
            for fresh in seen.account.fresh
        ):
            continue
        for event in case.plan.events:
            if event.effect is Effect.SCHEDULE and each_micro_batch(event, window):
                message = (
                    f"`{text(event.node)}` advances at each micro-batch, "
                    f"`{text(window.step.node)}` only once a window"
                )
                yield Draft(
                    "scheduler-in-window",
                    spot(event),
                    message,
                    Severity.WARNING,
                    f"call it right after `{text(window.step.node)}`",
                    [
                        ("deposited here", spot(window.deposit)),
                        ("spent here", spot(window.step)),
                        *callers(event),
                    ],
                    (event, window.step),
                    window.at,
                )
