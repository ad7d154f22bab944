"""All checks over one root: at each step the first that holds, then the rules that look wider."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from zerograd.lint.checks import (
    leaked_deposit,
    missing_zero,
    spent_twice,
    step_without_backward,
    zero_before_step,
)
from zerograd.lint.checks.grounds import weighed
from zerograd.lint.checks.windows import windows
from zerograd.lint.knowledge import Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zerograd.lint.checks.case import Case, Draft
    from zerograd.lint.interpret.apply import Observation

AT_THE_STEP: tuple[Callable[[Observation, Case], Draft | None], ...] = (
    spent_twice.judge,
    missing_zero.judge,
    leaked_deposit.judge,
    zero_before_step.judge,
    step_without_backward.judge,
)
"""In the order in which LIFECYCLE lists them: the first that holds is reported."""

ABOUT_WINDOWS = (
    "zero_inside_window",
    "unnormalised_window",
    "wrong_divisor",
    "window_off_by_one",
    "scheduler_in_window",
    "tails",
)
WIDER: tuple[tuple[Callable[[Case], object], tuple[str, ...]], ...] = (
    (windows, ABOUT_WINDOWS),
    (lambda case: case.has(Effect.CLIP, Effect.UNSCALE), ("clips",)),
    (lambda case: case.plan.scalers, ("scalers",)),
    (lambda case: case.has(Effect.READ), ("none_grad",)),
    (lambda case: any(event.closure for event in case.plan.events), ("zero_outside_closure",)),
    (lambda case: any(event.manual for event in case.plan.events), ("leaves",)),
    (lambda case: case.has(Effect.DEPOSIT), ("graphs", "backward_twice", "zero_in_graph")),
    (lambda case: case.has(Effect.BUILD, Effect.STEP), ("shared_parameter",)),
    (
        lambda case: case.has(Effect.BUILD, Effect.CLEAR, Effect.STEP),
        (
            "never_spent",
            "stale_optimizer",
            "orphan_parameter",
            "dead_parameter",
        ),
    ),
    (lambda case: case.mentions("DistributedDataParallel", "DDP("), ("ranks", "bypass")),
    (lambda case: case.has(Effect.BUILD, Effect.CLEAR), ("speed",)),
)
"""What a root must hold for which checks; their modules are loaded only then."""


def drafts(case: Case) -> Iterator[Draft]:
    """Find every fault of one root; loud only what rests on nothing unseen."""
    for draft in _drafts(case):
        yield weighed(draft, case)


def _drafts(case: Case) -> Iterator[Draft]:
    for seen in case.steps():
        if seen.scaler is not None:
            continue
        for judge in AT_THE_STEP:
            draft = judge(seen, case)
            if draft is not None:
                draft.trail = seen.state.trail
                yield draft
                break
    yield from step_without_backward.check(case)
    for needed, names in WIDER:
        if needed(case):
            for name in names:
                yield from import_module(f"zerograd.lint.checks.{name}").check(case)
