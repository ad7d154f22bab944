"""ZG401 to ZG404: clips that come too late, too early, too often or before unscaling."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import scaling
from zerograd.lifecycle.verdicts.accumulation import is_plain
from zerograd.lifecycle.verdicts.verdict import Unknown
from zerograd.lint.checks.evidence.case import (
    Case,
    Draft,
    are_alternatives,
    callers,
    line,
    loops_around,
    spot,
    unsaid,
)
from zerograd.lint.checks.evidence.counted_windows import sum_facts
from zerograd.lint.checks.evidence.windows import (
    AbstractWindow,
    each_micro_batch,
    happens_either_way,
    windows,
)
from zerograd.lint.confidence import is_silent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import argument, is_constant, keyword, last_name, text
from zerograd.lint.values import call_frames
from zerograd.record import replace
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.apply_event import Observation


def check(case: Case) -> Iterator[Draft]:
    """Every clip against the accounts that it met."""
    if _automatic(case):
        yield from _before_the_trainer(case)
    for event in case.plan.events:
        if event.effect is CallEffect.CLIP and not measures(event):
            for at in event.must:
                yield from _clip(case, event, at)
            if not event.must:
                yield from _before_its_backward(case, event)
    yield from _each_micro_batch(case)


def _automatic(case: Case) -> bool:
    """Tell whether the root is a `training_step` after which Lightning itself goes backward."""
    function = case.plan.frame.function
    if function.last_name != "training_step" or function.owner is None or not case.repeated:
        return False
    bases = call_frames.outside_bases(function.owner, case.resolver)
    manual = "automatic_optimization" in function.module.source.text
    return any(base.endswith("LightningModule") for base in bases) and not (
        manual or case.has(CallEffect.DEPOSIT, CallEffect.STEP, CallEffect.UNKNOWN)
    )


def _before_the_trainer(case: Case) -> Iterator[Draft]:
    for event in case.plan.events:
        if event.effect is CallEffect.CLIP and not measures(event):
            verdict = scaling.idle_clip(
                touched_fresh=False, touched_spent=False, clipped_otherwise=False, spends=True
            )
            message = f"`{text(event.node)}` has nothing to clip yet: Lightning goes backward later"
            if verdict is not None:
                yield Draft(
                    verdict,
                    spot(event),
                    message,
                    "give `gradient_clip_val` to the Trainer, or clip in "
                    "`on_before_optimizer_step`",
                    callers(event),
                    (event,),
                )


def _before_its_backward(case: Case, event: SourceEvent) -> Iterator[Draft]:
    """Find a helper that clips what it is given, and then goes backward: `mtl.backward(losses)`."""
    own = [item for item in case.plan.events if item.frame is event.frame]
    deposits = [item for item in own if item.effect is CallEffect.DEPOSIT]
    others = (CallEffect.STEP, CallEffect.UNKNOWN, CallEffect.WRITE)
    if (
        not deposits
        or not event.frame.function.name
        or deposits[0].number < event.number
        or any(item.effect in others or loops_around(item) != loops_around(event) for item in own)
        or any(item.effect is CallEffect.CLIP and item.number > deposits[0].number for item in own)
    ):
        return
    verdict = scaling.idle_clip(
        touched_fresh=False, touched_spent=False, clipped_otherwise=False, spends=True
    )
    if verdict is not None:
        draft = _too_early(verdict.assuming({"called-again": False}), event, -1)
        draft.evidence.insert(0, ("deposited here", spot(deposits[0])))
        yield draft


def measures(event: SourceEvent) -> bool:
    """`max_norm=inf` and `clip_grad=False` clip nothing: they only measure."""
    assert isinstance(event.node, ast.Call)
    if any(
        has_word(item.arg or "", ("clip",)) and is_constant(item.value, False)
        for item in event.node.keywords
    ):
        return True
    given = argument(event.node, 1, "max_norm") or keyword(event.node, "clip_value")
    return given is not None and ("inf" in text(given).lower())


def _clip(case: Case, event: SourceEvent, at: int) -> Iterator[Draft]:
    met = case.meetings(event, at)
    for seen in met if not event.unscales else ():
        verdict = scaling.clip_before_unscale(
            scaled=any(item.scaled and _enabled(case, item.source) for item in seen.account.fresh),
            written=seen.account.written,
        )
        if verdict is not None:
            yield _before_unscale(verdict, case, seen)
            return
    verdict = scaling.idle_clip(
        touched_fresh=touched_fresh(met),
        touched_spent=(
            all(seen.account.begun for seen in met) and any(seen.account.stale for seen in met)
        )
        or _closes_the_round(case, event, at, met),
        clipped_otherwise=clipped_elsewhere(case, event, at) or _clips_another(case, event, at),
        spends=bool(met) and _stepped(case, at),
    )
    if verdict is not None:
        if is_silent(verdict):
            yield unsaid(verdict, event, at)
        elif verdict.rule == "clip-after-step":
            yield _too_late(verdict, case, met[-1])
        else:
            yield _too_early(verdict, event, at)


def _closes_the_round(case: Case, event: SourceEvent, at: int, met: list[Observation]) -> bool:
    """Tell whether a clip comes after the round's backward and step, and a clear after them."""
    loops = loops_around(event)
    kinds = (CallEffect.DEPOSIT, CallEffect.STEP)
    around = [item for item in case.touching(at, *kinds) if loops_around(item) == loops]
    return (
        bool(loops and met)
        and all(seen.account.spender >= 0 for seen in met)
        and {item.effect for item in around} == set(kinds)
        and all(item.number < event.number for item in around)
    )


def touched_fresh(met: list[Observation]) -> Fact:
    """Tell whether a clip found something to clip, on any path."""
    if any(seen.account.fresh for seen in met):
        return True
    if any(seen.account.extra for seen in met):
        return Unknown("account-followed")
    return Unknown("not-written") if any(seen.account.written for seen in met) else False


def _enabled(case: Case, source: int) -> bool:
    """Tell whether the scaler of a deposit can be on at all."""
    scaler = case.event(source).scaler
    if scaler is None or scaler.site is None:
        return True
    enabled = keyword(scaler.site, "enabled")
    return not (isinstance(enabled, ast.Constant) and not enabled.value)


def clipped_elsewhere(case: Case, event: SourceEvent, at: int) -> bool:
    """Tell whether another clip finds something fresh in the account."""
    return any(
        seen.event is not event
        and seen.at == at
        and seen.account.fresh
        and not measures(seen.event)
        and not are_alternatives(seen.event, event)
        for seen in case.of(CallEffect.CLIP)
    )


def _clips_another(case: Case, event: SourceEvent, at: int) -> bool:
    """Tell whether a clip is there for another account, whose deposit it finds.

    `clip_grad_norm_(agent.parameters())` between the agent's backward and its step is not too
    early for the optimizer of the policy that the agent was built with.
    """
    others = (case.meetings(event, other) for other in event.must if other != at)
    return any(touched_fresh(met) is True for met in others)


def _stepped(case: Case, at: int) -> bool:
    return any(seen.at == at and seen.account.fresh for seen in case.steps())


def _before_unscale(verdict: Verdict, case: Case, seen: Observation) -> Draft:
    event = seen.event
    made = case.event(next(item.source for item in seen.account.fresh if item.scaled))
    scaler = _scaler_name(made)
    label = case.holder(seen.at).label
    name = last_name(event.node.func) if isinstance(event.node, ast.Call) else "the clip"
    message = f"`{name}` sees gradients that still carry the loss scale"
    return Draft(
        verdict,
        spot(event),
        message,
        f"call `{scaler}.unscale_({label})` first",
        [("scaled here", spot(made)), *callers(event)],
        (event, made),
        seen.at,
        seen.state.trail,
    )


def _scaler_name(made: SourceEvent) -> str:
    """Spell the scaler as the deposit does: `scaler.scale(loss).backward()`."""
    loss = made.loss
    if isinstance(loss, ast.Call) and isinstance(loss.func, ast.Attribute):
        return text(loss.func.value)
    return "scaler"


def _too_late(verdict: Verdict, case: Case, seen: Observation) -> Draft:
    step = case.event(seen.account.spender)
    message = f"`{text(seen.event.node)}` clips after `{text(step.node)}` has spent the gradients"
    return Draft(
        verdict,
        spot(seen.event),
        message,
        f"clip before `{text(step.node)}` (line {line(step)})",
        [("spent here", spot(step)), *callers(seen.event)],
        (seen.event, step),
        seen.at,
    )


def _too_early(verdict: Verdict, event: SourceEvent, at: int) -> Draft:
    message = f"`{text(event.node)}` has nothing to clip yet: the backward comes later"
    return Draft(
        verdict,
        spot(event),
        message,
        "clip between the backward and the step",
        callers(event),
        (event,),
        at,
    )


def _each_micro_batch(case: Case) -> Iterator[Draft]:
    """Find a clip or `unscale_` in the deposit's loop while the step waits for the window's end."""
    for window in windows(case):
        facts = sum_facts(case, window)
        # Noise that `if args.noise:` adds leaves the paths without it as they are.
        written = all(seen.account.written for seen in case.meetings(window.step, window.at))
        several = is_plain(replace(facts, written=written))
        for event in case.plan.events if several is not False else ():
            if (
                event.effect not in (CallEffect.CLIP, CallEffect.UNSCALE)
                or window.at not in event.must
            ):
                continue
            if event.effect is CallEffect.CLIP and measures(event):
                continue
            verdict = scaling.clip_inside_window(
                several=several,
                at_each_deposit=each_micro_batch(event, window)
                or happens_either_way(case, event, window),
            )
            if verdict is not None:
                yield _too_often(verdict, event, window)


def _too_often(verdict: Verdict, event: SourceEvent, window: AbstractWindow) -> Draft:
    message = (
        f"`{text(event.node)}` runs at each micro-batch, "
        f"`{text(window.step.node)}` only once a window"
    )
    return Draft(
        verdict,
        spot(event),
        message,
        f"do it once, right before `{text(window.step.node)}`",
        [
            ("deposited here", spot(window.deposit)),
            ("spent here", spot(window.step)),
            *callers(event),
        ],
        (event, window.step),
        window.at,
    )
