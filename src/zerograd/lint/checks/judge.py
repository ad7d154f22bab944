"""All checks over one root: at each step the first that holds, then the rules that look wider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.checks import (
    clips,
    dead_parameter,
    graphs,
    leaked_deposit,
    leaves,
    missing_zero,
    never_spent,
    none_grad,
    orphan_parameter,
    ranks,
    scalers,
    scheduler_in_window,
    shared_parameter,
    speed,
    spent_twice,
    stale_optimizer,
    step_without_backward,
    tails,
    unnormalised_window,
    window_off_by_one,
    wrong_divisor,
    zero_before_step,
    zero_inside_window,
    zero_outside_closure,
)

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

WIDER: tuple[Callable[[Case], Iterator[Draft]], ...] = (
    step_without_backward.check,
    zero_inside_window.check,
    unnormalised_window.check,
    wrong_divisor.check,
    window_off_by_one.check,
    scheduler_in_window.check,
    tails.check,
    clips.check,
    scalers.check,
    none_grad.check,
    zero_outside_closure.check,
    leaves.check,
    graphs.check,
    shared_parameter.check,
    never_spent.check,
    stale_optimizer.check,
    orphan_parameter.check,
    dead_parameter.check,
    ranks.check,
    speed.check,
)


def drafts(case: Case) -> Iterator[Draft]:
    """Every finding of one root."""
    for seen in case.steps():
        if seen.scaler is not None:
            continue
        for judge in AT_THE_STEP:
            draft = judge(seen, case)
            if draft is not None:
                yield draft
                break
    for check in WIDER:
        yield from check(case)
