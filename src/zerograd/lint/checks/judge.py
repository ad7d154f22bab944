"""All checks over one root: at each step the first that holds, then the rules that look wider."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.precedence import ABOUT_ACCOUNTS, is_absorbed
from zerograd.lint.checks import (
    leaked_deposit,
    missing_zero,
    spent_twice,
    step_without_backward,
    zero_before_step,
)
from zerograd.lint.checks.evidence.shared_assumptions import grounded
from zerograd.lint.checks.evidence.step_facts import step_facts
from zerograd.lint.checks.evidence.windows import windows
from zerograd.lint.confidence import is_silent, weigh
from zerograd.lint.knowledge import CallEffect
from zerograd.record import field, record
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zerograd.lifecycle.verdicts.facts import StepFacts
    from zerograd.lint.checks.evidence.case import Case, Draft
    from zerograd.lint.interpret.apply_event import Observation

AT_THE_STEP: Mapping[str, Callable[[Observation, Case, StepFacts], Draft | None]] = {
    "spent-twice": spent_twice.judge,
    "missing-zero": missing_zero.judge,
    "leaked-deposit": leaked_deposit.judge,
    "zero-before-step": zero_before_step.judge,
    "step-without-backward": step_without_backward.judge,
}
"""By rule; their order is the lifecycle's."""

UNCALLED = re.compile(r"\.(?:backward|step)[^\S\n]*(?:#.*)?$", re.MULTILINE)
"""A line that ends with the name of a method of a training loop."""

ABOUT_WINDOWS = (
    "zero_inside_window",
    "unnormalised_window",
    "unequal_micro_batches",
    "window_off_by_one",
    "scheduler_in_window",
    "average_in_window",
    "last_windows",
)


def _is_body(case: Case, word: str) -> bool:
    """Tell whether a root is a file's own body, and the file has a word in it."""
    function = case.plan.frame.function
    return not function.name and function.module.mentions(word)


def _names_methods(case: Case) -> bool:
    """Tell whether a line of the root's modules ends with a method that may have to be called."""
    frames = (case.plan.frame, *(event.frame for event in case.plan.events))
    return any(frame.function.module.matches(UNCALLED) for frame in frames)


WIDER: tuple[tuple[Callable[[Case], object], tuple[str, ...]], ...] = (
    (windows, ABOUT_WINDOWS),
    (lambda case: case.has(CallEffect.STEP), ("wrong_divisor",)),
    (
        lambda case: case.has(CallEffect.CLIP, CallEffect.UNSCALE),
        ("clips", "clip_before_scaled_step", "clip_other_parameters"),
    ),
    (lambda case: case.plan.scalers, ("scalers", "scaler_skips")),
    (lambda case: case.has(CallEffect.READ), ("none_grad",)),
    (lambda case: any(event.closure for event in case.plan.events), ("zero_outside_closure",)),
    (lambda case: any(event.manual for event in case.plan.events), ("leaf_updates",)),
    (
        lambda case: case.has(CallEffect.DEPOSIT),
        (
            "backward_without_graph",
            "detached_terms",
            "kept_graph",
            "kept_outputs",
            "backward_twice",
            "zero_in_graph",
        ),
    ),
    (lambda case: case.has(CallEffect.DEPOSIT), ("unstepped_attribute",)),
    (lambda case: case.has(CallEffect.BUILD, CallEffect.STEP), ("shared_parameter",)),
    (
        lambda case: case.has(CallEffect.BUILD, CallEffect.CLEAR, CallEffect.STEP),
        (
            "never_spent",
            "stale_optimizer",
            "orphan_parameter",
            "hidden_parameters",
            "dead_parameter",
        ),
    ),
    (lambda case: case.mentions("DistributedDataParallel", "DDP("), ("ranks", "bypass")),
    (lambda case: case.has(CallEffect.BUILD, CallEffect.CLEAR), ("speed_hints",)),
    (lambda case: _is_body(case, "configure_optimizers"), ("configured_optimizers",)),
    (_names_methods, ("uncalled_method",)),
)
"""What a root must hold for which checks; their modules are loaded only then."""


@record()
class Judgement:
    """What the checks conclude about one root."""

    told: list[Draft] = field(default_factory=list)
    """As loud as their assumptions leave them."""

    withheld: list[Draft] = field(default_factory=list)
    """Verdicts that rest on an assumption which allows no finding."""


def judge(case: Case, *, at_each_draft: Callable[[], None]) -> Judgement:
    """Judge one root; what may be said of it is settled by the assumptions of each draft."""
    found = Judgement()
    for draft in _drafts(case):
        at_each_draft()
        verdict = None
        if not is_silent(draft.verdict):
            verdict = weigh(grounded(draft, case).verdict)
        if verdict is None:
            found.withheld.append(draft)
        else:
            draft.verdict = verdict
            found.told.append(draft)
    found.told = _unexplained(found.told, case)
    return found


def _unexplained(told: list[Draft], case: Case) -> list[Draft]:
    """Return the drafts that nothing else told of the same optimizer explains."""
    reported: dict[int, set[str]] = {}
    for draft in told:
        if draft.severity is not Severity.HINT:
            reported.setdefault(_about(draft, case), set()).add(draft.rule)
    return [
        draft
        for draft in told
        if not is_absorbed(draft.verdict, reported.get(_about(draft, case), ()))
    ]


def _about(draft: Draft, case: Case) -> int:
    """Tell optimizers apart by their construction, as far as it was seen."""
    value = case.holder(draft.at).value if draft.at >= 0 else None
    return id(draft.spot.node if value is None or value.site is None else value.site)


def _drafts(case: Case) -> Iterator[Draft]:
    for seen in case.steps():
        if seen.scaler is None:
            yield from _at_the_step(seen, case)
    yield from step_without_backward.check(case)
    for needed, names in WIDER:
        if needed(case):
            for name in names:
                yield from import_module(f"zerograd.lint.checks.{name}").check(case)


def _at_the_step(seen: Observation, case: Case) -> Iterator[Draft]:
    """Yield the first fault of a step that may be told, and those before it that may not."""
    facts = step_facts(seen, case)
    for rule in ABOUT_ACCOUNTS:
        draft = AT_THE_STEP[rule](seen, case, facts)
        if draft is not None:
            draft.trail = seen.state.trail
            yield draft
            if not is_silent(draft.verdict):
                return
