"""ZG408: a clip of other parameters than the next step moves, which nothing ever spends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import scaling
from zerograd.lifecycle.verdicts.verdict import both, either
from zerograd.lint.checks.clips import clipped_elsewhere, measures, touched_fresh
from zerograd.lint.checks.evidence.case import (
    Case,
    Draft,
    are_alternatives,
    callers,
    loops_around,
    spot,
    tests_around,
    trail,
)
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.interpret.apply_event import Observation

BY_HAND = (CallEffect.READ, CallEffect.USE, CallEffect.WRITE, CallEffect.UNKNOWN)
"""What may clip gradients, copy them or spend them in a way that nobody sees."""


def check(case: Case) -> Iterator[Draft]:
    """Every clip of known parameters against the step that comes after it."""
    for clip in case.plan.events:
        known = clip.effect is CallEffect.CLIP and clip.must and not clip.may
        if not known or measures(clip) or any(case.touching(at, *BY_HAND) for at in clip.must):
            continue
        step = _next_step(case, clip)
        if step is not None:
            yield from _judge(case, clip, step)


def _next_step(case: Case, clip: SourceEvent) -> Observation | None:
    """Return a step that spends others' deposits after the clip, where nothing ever clips them."""
    for seen in case.steps():
        if (
            seen.account.fresh
            and not case.touching(seen.at, *BY_HAND)
            and all(measures(other) for other in case.touching(seen.at, CallEffect.CLIP))
            and _follows(seen, clip)
        ):
            return seen
    return None


def _follows(seen: Observation, clip: SourceEvent) -> bool:
    """Tell whether a step follows a clip, and both follow the last backward.

    What was clipped has no step of its own between them: a clip after that is for the log.
    """
    if loops_around(seen.event) != loops_around(clip):
        return False
    tests = tests_around(seen.event)
    if tests_around(clip)[: len(tests)] != tests:
        return False
    found = False
    for event in _events_before(seen):
        found |= event is clip
        if event.effect is CallEffect.DEPOSIT:
            return found
        if event.effect is CallEffect.STEP and not set(clip.must).isdisjoint(event.must):
            return False
    return False


def _events_before(seen: Observation) -> Iterator[SourceEvent]:
    """Return what happened on the path to an observation, latest first."""
    for step in trail(seen.state.trail):
        if isinstance(step.what, SourceEvent):
            yield step.what


def _judge(case: Case, clip: SourceEvent, step: Observation) -> Iterator[Draft]:
    if not all(_is_stepped_beside(case, clip, at) for at in clip.must):
        return
    met = {at: case.meetings(clip, at) for at in clip.must}
    verdict = scaling.clip_other_parameters(
        precedes_unclipped=True,
        spent=any(_is_spent(case, clip, at) for at in clip.must),
        touched_fresh=either(*(touched_fresh(seen) for seen in met.values())),
        clipped_otherwise=both(*(clipped_elsewhere(case, clip, at) for at in clip.must)),
    )
    if verdict is None:
        return
    label, spends = case.holder(step.at).label, text(step.event.node)
    deposit = case.event(step.account.fresh[-1].source)
    yield Draft(
        verdict,
        spot(clip),
        f"`{text(clip.node)}` clips nothing that is spent: `{spends}` moves other parameters",
        f"clip the parameters of `{label}` here",
        [
            ("deposited here", spot(deposit)),
            ("spent without a clip here", spot(step.event)),
            *callers(clip),
        ],
        (clip, step.event),
        step.at,
        step.state.trail,
    )


def _is_stepped_beside(case: Case, clip: SourceEvent, at: int) -> bool:
    """Tell whether the clipped parameters have a step in the clip's own loop, or around it.

    In a warm-up they may have none yet: what is clipped there is clipped for the sake of later.
    """
    around = loops_around(clip)
    return any(
        loops_around(step) == around[: len(loops_around(step))] and not are_alternatives(clip, step)
        for step in case.touching(at, CallEffect.STEP)
    )


def _is_spent(case: Case, clip: SourceEvent, at: int) -> bool:
    """Tell whether what a clip met may still lie there when a step spends the account."""
    met = case.meetings(clip, at)
    if not any(seen.account.fresh or seen.account.extra for seen in met):
        return False
    return any(_reaches(clip, seen) for seen in case.steps() if seen.at == at)


def _reaches(clip: SourceEvent, seen: Observation) -> bool:
    """Tell whether a step comes after a clip, with no clear of the account between."""
    for event in _events_before(seen):
        if event is clip:
            return True
        if event.effect is CallEffect.CLEAR and seen.at in event.must:
            return False
    return False
