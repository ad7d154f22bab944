"""ZG405, ZG406, ZG407: a loss scaler that is not updated, left out, or told twice."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, callers, spot
from zerograd.lint.knowledge import Effect
from zerograd.lint.syntax import keyword, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import Event
    from zerograd.lint.interpret.apply import Observation


def check(case: Case) -> Iterator[Draft]:
    """Every call of a scaler against what it was told before, and every step past it."""
    for seen in case.applier.seen.values():
        if seen.at >= 0 and case.holder(seen.at).summary:
            continue
        if seen.scaler is not None and seen.at >= 0:
            yield from _told(case, seen)
        elif seen.event.effect is Effect.STEP and seen.scaler is None:
            yield from _step(case, seen)


def _told(case: Case, seen: Observation) -> Iterator[Draft]:
    assert seen.scaler is not None
    waiting = [number for at, number in (*seen.scaler.stepped, *seen.scaler.lost) if at == seen.at]
    if waiting and not _off(seen.event):
        earlier = case.event(min(waiting))
        if case.plan.events and not _hidden_update(case):
            yield _not_updated(case, seen, earlier)
    twice = [number for at, number in seen.scaler.unscaled if at == seen.at]
    if twice and seen.event.effect is Effect.UNSCALE and not waiting:
        message = f"`{text(seen.event.node)}` unscales a second time before an update"
        yield Draft(
            "unscaled-twice",
            spot(seen.event),
            message,
            case.severity(seen.at),
            "unscale once, right before clipping",
            [("unscaled here first", spot(case.event(min(twice)))), *callers(seen.event)],
            (seen.event,),
            seen.at,
        )


def _hidden_update(case: Case) -> bool:
    """Something that cannot be seen may have updated the scaler."""
    return any(other.effect is Effect.UNKNOWN for other in case.plan.events)


def _off(event: Event) -> bool:
    scaler = event.scaler
    if scaler is None or scaler.site is None:
        return False
    enabled = keyword(scaler.site, "enabled")
    return isinstance(enabled, ast.Constant) and not enabled.value


def _not_updated(case: Case, seen: Observation, earlier: Event) -> Draft:
    assert isinstance(earlier.node, ast.Call)
    scaler = (
        text(earlier.node.func.value) if isinstance(earlier.node.func, ast.Attribute) else "scaler"
    )
    message = f"`{text(earlier.node)}` is not followed by `{scaler}.update()` on every way"
    return Draft(
        "scaler-not-updated",
        spot(earlier),
        message,
        case.severity(seen.at),
        f"call `{scaler}.update()` once after the last scaler step",
        [("used again without an update", spot(seen.event)), *callers(earlier)],
        (earlier, seen.event),
        seen.at,
    )


def _step(case: Case, seen: Observation) -> Iterator[Draft]:
    event = seen.event
    made = [case.event(item.source) for item in seen.account.fresh]
    if not made or event.manual or event.unscales:
        return
    if event.scaler is None:
        scaled = [case.event(item.source) for item in seen.account.fresh if item.scaled]
        if scaled and not _off(scaled[0]):
            message = f"`{text(event.node)}` spends gradients that still carry the loss scale"
            yield Draft(
                "scaled-step",
                spot(event),
                message,
                case.severity(seen.at),
                f"call `scaler.step({case.holder(seen.at).label})` instead",
                [("scaled here", spot(scaled[0])), *callers(event)],
                (event,),
                seen.at,
            )
    elif all(_plainly_unscaled(item, case) for item in made) and _switched_on(event):
        message = f"`{text(event.node)}` unscales gradients that no scaler has scaled"
        yield Draft(
            "scaled-step",
            spot(event),
            message,
            case.severity(seen.at),
            "deposit with `scaler.scale(loss).backward()`",
            [("deposited unscaled here", spot(made[0])), *callers(event)],
            (event,),
            seen.at,
        )


def _switched_on(event: Event) -> bool:
    """Tell whether the scaler was built here, and nothing says that it may be off."""
    scaler = event.scaler
    if scaler is None or scaler.site is None:
        return False
    enabled = keyword(scaler.site, "enabled")
    return enabled is None or (isinstance(enabled, ast.Constant) and bool(enabled.value))


def _plainly_unscaled(event: Event, case: Case) -> bool:
    """`loss.backward()` on a value that its own function computes without a scaler."""
    if event.scaler is not None or event.loss is None or event.divides:
        return False
    if not _scales_anywhere(case):
        return True
    if not isinstance(event.loss, ast.Name):
        return False
    found = event.frame.function.scope.bindings.get(event.loss.id, [])
    return bool(found) and not any(
        "scale" in text(item.value) for item in found if item.value is not None
    )


def _scales_anywhere(case: Case) -> bool:
    modules = {
        id(event.frame.function.module): event.frame.function.module for event in case.plan.events
    }
    return any(
        ".scale(" in module.source.text or "scale_loss" in module.source.text
        for module in modules.values()
    )
