"""`assert_same_gradients`: splitting a batch does not change the gradient, or here is why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.errors import ArgumentError
from zerograd.testing.batch import rows, sizes
from zerograd.testing.causes import find_cause
from zerograd.testing.precision import sharpened
from zerograd.testing.trial import Subject, attempt, by_rows
from zerograd.testing.untouched import untouched

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.nn import Module

    from zerograd.testing.batch import Split
    from zerograd.testing.causes import Cause
    from zerograd.testing.trial import LossFunction, Trial

SHOWN = 10
"""So many parameters are listed, the worst first."""


def assert_same_gradients(
    model: Module,
    loss_fn: LossFunction,
    batch: Any,
    splits: Split | tuple[Split, ...] | None = None,
    *,
    reduction: str = "mean",
    items: Callable[[Any], float] | None = None,
    rtol: float | None = None,
    ranks: int | None = None,
    step: Callable[[Module, Any], object] | None = None,
) -> None:
    """Assert that a batch in parts gives the gradient of the whole batch.

    `loss_fn(model, part)` returns the loss of a part. `splits` is a number of parts, a list of
    their sizes, or a tuple of several of these; two halves and two unequal parts if you say
    nothing. `items(part)` counts what a mean is over, the rows if you say nothing. A difference is
    confirmed on a copy in fp64 where model and loss allow it. Model, `.grad`, buffers and random
    generators are left as they were.

    With `ranks=n` each part goes to a process of its own, where `step(model, part)` runs your
    parallel forward and backward and leaves the gradient in `.grad`; DDP, if you say nothing.

    >>> assert_same_gradients(model, lambda model, part: mse(model(part[0]), part[1]), batch)
    """
    __tracebackhide__ = True
    if reduction not in ("mean", "sum"):
        raise ArgumentError(f"reduction is one of 'mean', 'sum', got {reduction!r}")
    subject = Subject(model, loss_fn, batch, reduction, items or by_rows, rtol)
    if not subject.parameters:
        raise ArgumentError("the model has no parameter that requires a gradient; unfreeze some")
    if ranks is not None:
        _assert_same_over_ranks(subject, ranks, splits, step)
        return
    if step is not None:
        raise ArgumentError("step= is what each rank runs; pass ranks=2 with it")
    for split in _several(splits, rows(batch)):
        with untouched(model):
            _assert_same(subject, split)


def _assert_same_over_ranks(
    subject: Subject,
    ranks: int,
    splits: Split | tuple[Split, ...] | None,
    step: Callable[[Module, Any], object] | None,
) -> None:
    __tracebackhide__ = True
    from zerograd.testing.ranks import assert_same_over_ranks  # the others need no distributed

    for split in splits if isinstance(splits, tuple) else (splits,):
        with untouched(subject.model):
            assert_same_over_ranks(subject, ranks, split, step)


def _assert_same(subject: Subject, split: Split) -> None:
    __tracebackhide__ = True
    trial = attempt(subject, split)
    if trial.agrees():
        return
    sharp = sharpened(subject)
    if sharp is not None:  # with autocast or 16 bits it may have been round-off after all
        subject, trial = sharp, attempt(sharp, split)
    if not trial.agrees():
        raise AssertionError(message(trial, rows(subject.batch), find_cause(subject, trial)))


def _several(splits: Split | tuple[Split, ...] | None, total: int) -> list[Split]:
    """Return every split that is to be tried, checked."""
    if splits is None:
        third = max(total // 3, 1)
        several: list[Split] = [2] if total == 2 else [2, [third, total - third]]
    else:
        several = list(splits) if isinstance(splits, tuple) else [splits]
    for split in several:
        sizes(total, split)
    return several


def message(trial: Trial, total: int, cause: Cause) -> str:
    """Say how far the gradients are apart, parameter by parameter, why, and what to do."""
    cut = " + ".join(map(str, sizes(total, trial.split)))
    found = trial.differences()
    worst = sorted(found, key=lambda name: -found[name][1])
    differ = [name for name in worst if not found[name][1] <= trial.tolerance]
    width = max(map(len, ["parameter", *differ[:SHOWN]]))
    table = [
        f"  {name:{width}}  {found[name][0]:9.3g}  {found[name][1]:9.3g}" for name in differ[:SHOWN]
    ]
    more = [f"  and {len(differ) - SHOWN} more"] if len(differ) > SHOWN else []
    lines = [
        f"{total} rows as {cut} do not give the gradient of the whole batch: {cause.name}",
        "",
        f"  {'parameter':{width}}    largest   relative  (round-off explains {trial.tolerance:g})",
        *table,
        *more,
        "",
        _sentence(cause.happened),
        _sentence(cause.remedy),
    ]
    return "\n".join(lines)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
