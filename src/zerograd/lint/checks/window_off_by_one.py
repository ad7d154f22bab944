"""ZG205: a test that is off by one, so that the first window differs from all that follow."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import accumulation
from zerograd.lifecycle.verdicts.verdict import Unknown
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, spot
from zerograd.lint.checks.evidence.counted_windows import counted
from zerograd.lint.checks.evidence.windows import AbstractWindow, spelled_out, windows
from zerograd.lint.program.syntax import dotted, is_constant, names_in, text
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict

SEVERAL = 2
"""Deposits of a window that is one."""


def check(case: Case) -> Iterator[Draft]:
    """Windows of which the first holds another number of deposits than those that follow."""
    for window in windows(case):
        off = _off(case, window)
        if off is None or window.test is None or _engines_own(window.test, window):
            continue
        if any(_is_whole(case, other) for other in windows(case) if other.step is window.step):
            # The test counts another loss of the round, whose backward comes before the step.
            continue
        verdict = accumulation.window_off_by_one(
            by_modulo=True,
            one_source=True,  # with a further source under the test it would be a cadence
            first_is_off=True if off.first < off.then else Unknown("longer-first-window"),
            then_several=True,
        )
        if verdict is not None:
            yield _draft(verdict, window, off)


@record(frozen=True)
class OffByOneWindow:
    """How a first window differs from those that follow."""

    first: int
    then: int


def _off(case: Case, window: AbstractWindow) -> OffByOneWindow | None:
    """Return by how much the first window is off, if it is by one in every run that was counted.

    One deposit: the counter starts at 0 and the test holds at once. One less than the others: the
    counter starts at 1 and the test adds another. One more: the test is kept from holding at 0.
    """
    found: list[OffByOneWindow] = []
    for run in counted(case, window):
        sizes, then = run.first_epoch, run.regular
        if then is None or then < SEVERAL or sizes[0] not in (1, then - 1, then + 1):
            return None
        found.append(OffByOneWindow(sizes[0], then))
    return found[0] if found else None


def _is_whole(case: Case, window: AbstractWindow) -> bool:
    """Tell whether a window is as long from the first on, in every run that was counted."""
    runs = counted(case, window)
    return bool(runs) and all(
        run.regular is not None and SEVERAL <= run.regular == run.first_epoch[0] for run in runs
    )


def _draft(verdict: Verdict, window: AbstractWindow, off: OffByOneWindow) -> Draft:
    assert window.test is not None
    counter = next(filter(None, map(_counter, _parts(window))), None)
    if off.first == 1:
        message = "holds in the first round: the first window has one deposit"
        help_ = f"count from 1: `({counter} + 1) % ...`" if counter else "count from 1"
    elif off.first < off.then:
        message = "holds one round too early: the first window has one deposit less"
        help_ = "the counter starts at 1 already: leave out the `+ 1`"
    else:
        message = "holds one round too late: the first window has one deposit more"
        help_ = f"count from 1: `({counter} + 1) % ...`" if counter else "count from 1"
    return Draft(
        verdict,
        Spot(window.test, window.frame.function.module),
        f"`{text(window.test)}` {message}",
        help_,
        [("deposited at each round", spot(window.deposit)), ("spent here", spot(window.step))],
        (window.step, window.deposit),
        window.at,
    )


def _parts(window: AbstractWindow) -> list[ast.expr]:
    test = spelled_out(window)
    if isinstance(test, ast.BoolOp):
        return test.values
    return [test] if test is not None else []


def _engines_own(test: ast.expr, window: AbstractWindow) -> bool:
    """Tell whether the length is DeepSpeed's: its engine counts, and `step()` does nothing."""
    names = names_in(test)
    return any(
        item.value is not None and "deepspeed" in text(item.value)
        for name in names
        for item in window.frame.function.scope.bindings.get(name, ())
    )


def _counter(node: ast.expr) -> str | None:
    """Return `i` of `i % k == 0` or `not i % k`, where `k` is not 1."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = ast.Compare(node.operand, [ast.Eq()], [ast.Constant(0)])
    if not (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and isinstance(node.ops[0], ast.Eq)
        and is_constant(node.comparators[0], 0)
        and isinstance(node.left, ast.BinOp)
        and isinstance(node.left.op, ast.Mod)
    ):
        return None
    return None if is_constant(node.left.right, 1) else dotted(node.left.left)
