"""All checks over one root: at each step the first that holds, then the rules that look wider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.checks import (
    missing_zero,
    spent_twice,
    step_without_backward,
    zero_before_step,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zerograd.lint.checks.case import Case, Draft
    from zerograd.lint.interpret.apply import Observation

AT_THE_STEP: tuple[Callable[[Observation, Case], Draft | None], ...] = (
    spent_twice.judge,
    missing_zero.judge,
    zero_before_step.judge,
    step_without_backward.judge,
)
"""In the order in which LIFECYCLE lists them: the first that holds is reported."""

WIDER: tuple[Callable[[Case], Iterator[Draft]], ...] = ()


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
