"""ZG405, ZG406, ZG407: a loss scaler that is not updated, left out, or unscales twice."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.transitions import Call, Stage
from zerograd.lifecycle.verdicts import scaling
from zerograd.lifecycle.verdicts.verdict import Unknown, shown
from zerograd.lint.checks.evidence.case import Case, Draft, callers, spot, unsaid
from zerograd.lint.checks.evidence.optimizers import hidden
from zerograd.lint.confidence import is_silent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import is_constant, keyword, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.apply_event import Observation
    from zerograd.lint.values.value import Value


def check(case: Case) -> Iterator[Draft]:
    """Every call of a scaler against what it was told before, and every step past it."""
    for seen in case.applier.seen.values():
        if seen.at < 0:
            continue
        if seen.scaler is not None:
            draft = _told(case, seen)
        elif seen.event.effect is CallEffect.STEP:
            draft = _step(case, seen)
        else:
            continue
        if draft is not None:
            draft.trail = seen.state.trail
            yield draft


def _told(case: Case, seen: Observation) -> Draft | None:
    """Judge a call of a scaler by the stage that it is in with this optimizer."""
    stage, earlier = _stage(case, seen)
    call = Call.UNSCALE if seen.event.effect is CallEffect.UNSCALE else Call.STEP
    verdict, _ = scaling.scaler_call(stage, call, enabled=not _off(seen.event))
    if verdict is None or earlier is None:
        return None
    unsure = _common(case, seen)
    if verdict.rule == "unscaled-twice":
        verdict = verdict.assuming(unsure)
        draft = _unscaled_twice
    else:
        # Something that cannot be seen may have updated the scaler.
        verdict = verdict.assuming(unsure | {"no-hidden-update": not hidden(case)})
        verdict = verdict.assuming({"scaler-is-on": not _is_meant_off(case, earlier.scaler)})
        draft = _not_updated
    if is_silent(verdict):
        return unsaid(verdict, seen.event, seen.at)
    return draft(verdict, seen, earlier)


def _common(case: Case, seen: Observation) -> dict[str, bool]:
    return {"one-optimizer": not case.holder(seen.at).summary}


def _stage(case: Case, seen: Observation) -> tuple[Stage, SourceEvent | None]:
    """Return how far a scaler is with an optimizer, and the call that led there."""
    assert seen.scaler is not None
    told = seen.scaler
    for stage, calls in (
        (Stage.STEPPED, (*told.stepped, *told.lost)),
        (Stage.UNSCALED, told.unscaled),
    ):
        numbers = [number for at, number in calls if at == seen.at]
        if numbers:
            return stage, case.event(min(numbers))
    return Stage.READY, None


def _off(event: SourceEvent) -> bool:
    scaler = event.scaler
    if scaler is None or scaler.site is None:
        return False
    enabled = keyword(scaler.site, "enabled")
    return isinstance(enabled, ast.Constant) and not enabled.value


def _is_meant_off(case: Case, scaler: Value | None) -> bool:
    """Tell whether a path past the scaler may be the one of a scaler that does nothing.

    `if amp: scaler = GradScaler()`, `else: scaler = GradScaler(enabled=False)`, and other paths
    step and update it as they should.
    """
    if scaler is None or scaler.frame is None:
        return False
    made = next(
        (
            found
            for found in scaler.frame.function.scope.bindings.values()
            if any(item.value is scaler.site for item in found)
        ),
        [],
    )
    off = any(
        isinstance(item.value, ast.Call) and is_constant(keyword(item.value, "enabled"), False)
        for item in made
    )
    used = any(
        event.effect is CallEffect.STEP and event.scaler is not None for event in case.plan.events
    )
    return off and used and case.has(CallEffect.UPDATE)


def _unscaled_twice(verdict: Verdict, seen: Observation, earlier: SourceEvent) -> Draft:
    return Draft(
        verdict,
        spot(seen.event),
        f"`{text(seen.event.node)}` unscales a second time before an update",
        "unscale once, right before clipping",
        [("unscaled here first", spot(earlier)), *callers(seen.event)],
        (seen.event,),
        seen.at,
    )


def _not_updated(verdict: Verdict, seen: Observation, earlier: SourceEvent) -> Draft:
    assert isinstance(earlier.node, ast.Call)
    scaler = (
        text(earlier.node.func.value) if isinstance(earlier.node.func, ast.Attribute) else "scaler"
    )
    return Draft(
        verdict,
        spot(earlier),
        f"`{text(earlier.node)}` is not followed by `{scaler}.update()` on every path",
        f"call `{scaler}.update()` once after the last scaler step",
        [("used again without an update", spot(seen.event)), *callers(earlier)],
        (earlier, seen.event),
        seen.at,
    )


def _step(case: Case, seen: Observation) -> Draft | None:
    event = seen.event
    made = [case.event(item.source) for item in seen.account.fresh]
    if not made or event.manual or event.unscales:
        return None
    scaled = [case.event(item.source) for item in seen.account.fresh if item.scaled]
    verdict = scaling.scaled_step(
        through_scaler=event.scaler is not None,
        enabled=_switched_on(event),
        scaled=bool(scaled) and not _off(scaled[0]),
        plain=_plain(made, case) if event.scaler is not None else False,
        written=seen.account.written,
    )
    if verdict is None:
        return None
    verdict = verdict.assuming(_common(case, seen))
    if event.scaler is None:
        meant = _is_meant_off(case, scaled[0].scaler)
        verdict = verdict.assuming({"scaler-is-on": not meant})
    if is_silent(verdict):
        return unsaid(verdict, event, seen.at)
    if event.scaler is None:
        return Draft(
            verdict,
            spot(event),
            f"`{text(event.node)}` spends gradients that still carry the loss scale",
            f"call `scaler.step({case.holder(seen.at).label})` instead",
            [("scaled here", spot(scaled[0])), *callers(event)],
            (event,),
            seen.at,
            needs=(scaled[0],),
        )
    return Draft(
        verdict,
        spot(event),
        f"`{text(event.node)}` unscales gradients that no scaler has scaled",
        "deposit with `scaler.scale(loss).backward()`",
        [("deposited unscaled here", spot(made[0])), *callers(event)],
        (event,),
        seen.at,
        needs=(made[0],),
    )


def _plain(made: list[SourceEvent], case: Case) -> Fact:
    """Tell whether no deposit carries a scale."""
    if any(event.scaler is not None for event in made):
        return False
    return shown(all(_plainly_unscaled(item, case) for item in made), "deposit-is-unscaled")


def _switched_on(event: SourceEvent) -> Fact:
    """Tell whether the scaler was built here, and nothing says that it may be off."""
    scaler = event.scaler
    if scaler is None or scaler.site is None:
        return Unknown("scaler-is-on")
    enabled = keyword(scaler.site, "enabled")
    if isinstance(enabled, ast.Constant):
        return bool(enabled.value)
    return shown(enabled is None, "scaler-is-on")


def _plainly_unscaled(event: SourceEvent, case: Case) -> bool:
    """`loss.backward()` on a value that its own function computes without a scaler."""
    if event.loss is None or event.divides:
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
