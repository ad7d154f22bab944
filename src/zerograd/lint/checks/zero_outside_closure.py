"""ZG106: a closure that is evaluated several times deposits without clearing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import clearing
from zerograd.lint.checks.evidence.case import Case, Draft, loops_around, spot, trail
from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.interpret.apply_event import Observation


def check(case: Case) -> Iterator[Draft]:
    """Find closures that are evaluated again and whose deposit finds the earlier one's."""
    for step in case.plan.events:
        if not step.repeats_closure or step.closure is None:
            continue
        for at in step.must:
            made = _deposit_on_deposit(case, step, at)
            verdict = clearing.zero_outside_closure(
                evaluated_again=step.repeats_closure, holds_mixed=made is not None
            )
            if verdict is not None and made is not None:
                name = step.closure.last_name
                message = (
                    f"`{text(made.node)}` adds to the last evaluation's gradients: "
                    f"`{text(step.node)}` evaluates `{name}` several times"
                )
                yield Draft(
                    verdict,
                    spot(made),
                    message,
                    f"call `{case.holder(at).label}.zero_grad()` first thing in `{name}`",
                    [("evaluated here", spot(step))],
                    (made, step),
                    at,
                )


def _deposit_on_deposit(case: Case, step: SourceEvent, at: int) -> SourceEvent | None:
    for seen in case.of(CallEffect.DEPOSIT):
        inside = any(
            item.place is EnclosingKind.CALL and item.node is step.node
            for item in seen.event.context
        )
        if (
            seen.at == at
            and inside
            and any(item.source == seen.event.number for item in seen.account.fresh)
            and not _cleared_at_entry(case, step, seen)
        ):
            return seen.event
    return None


def _cleared_at_entry(case: Case, step: SourceEvent, seen: Observation) -> bool:
    """Tell whether the closure cleared since it was entered: a round of its own loop deposited.

    The path is read backwards from the deposit: the clear is met before the next evaluation.
    """
    inside = {
        event.number
        for event in case.plan.events
        if event.effect is CallEffect.CLEAR
        and seen.at in event.must
        and any(
            item.place is EnclosingKind.CALL and item.node is step.node for item in event.context
        )
    }
    looped = loops_around(seen.event) != loops_around(step)
    return looped and any(
        isinstance(item.what, SourceEvent) and item.what.number in inside
        for item in trail(seen.state.trail)
    )
