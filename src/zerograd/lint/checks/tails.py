"""ZG202 and ZG203: what becomes of a last window that the data does not fill."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import accumulation
from zerograd.lifecycle.verdicts.accumulation import is_plain
from zerograd.lifecycle.verdicts.verdict import Unknown
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, loops_around, spot
from zerograd.lint.checks.evidence.windows import (
    AbstractWindow,
    moduli,
    spelled_out,
    sum_facts,
    windows,
)
from zerograd.lint.checks.window_off_by_one import counted_from_zero
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import last_name, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict


def check(case: Case) -> Iterator[Draft]:
    """Windows by a modulo of the loop's own index, with no step for the rest."""
    for window in windows(case):
        if window.test is None or not isinstance(window.loop, ast.For):
            continue
        if is_plain(sum_facts(case, window)) is False:
            continue
        index = counted_from_zero(window.loop) or _one_based(window.loop)
        if index is None or not _only_modulo(window, index) or _flushed(case, window):
            continue
        left = _remainder(case, window)
        unfinished = Unknown("tail-exists") if left is None else left > 0
        verdict = accumulation.tail_leaks(
            spans_epochs=_goes_on(case, window), unfinished=unfinished
        ) or accumulation.tail_dropped(regular=True, unfinished=unfinished)
        if verdict is not None:
            yield _draft(verdict, window)


def _goes_on(case: Case, window: AbstractWindow) -> bool:
    """Tell whether the loop runs again, and nothing clears between its runs."""
    loops = loops_around(window.deposit)
    cleared = any(
        window.at in event.must and len(loops_around(event)) < len(loops) and loops_around(event)
        for event in case.plan.events
        if event.effect is CallEffect.CLEAR
    )
    return (len(loops) >= 2 or case.repeated) and not cleared


def _one_based(loop: ast.For) -> str | None:
    call = loop.iter
    if (
        isinstance(call, ast.Call)
        and last_name(call.func) in ("enumerate", "range")
        and (isinstance(loop.target, ast.Tuple | ast.Name))
    ):
        target = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
        return target.id if isinstance(target, ast.Name) else None
    return None


def _only_modulo(window: AbstractWindow, index: str) -> bool:
    """Tell whether the test is a modulo of the loop's index that misses the last round."""
    test = spelled_out(window)
    if test is None or isinstance(test, ast.BoolOp):
        return False
    names = {item.id for item in walk(test) if isinstance(item, ast.Name)}
    return index in names and any(isinstance(item, ast.Mod) for item in walk(test))


def _flushed(case: Case, window: AbstractWindow) -> bool:
    """Another step of the same account outside the loop, or under another test in it."""
    return any(
        event is not window.step and window.at in (*event.must, *event.may)
        for event in case.plan.events
        if event.effect is CallEffect.STEP
    )


def _remainder(case: Case, window: AbstractWindow) -> int | None:
    """How many deposits are left over; None when the source does not say."""
    assert isinstance(window.loop, ast.For)
    call = window.loop.iter
    if isinstance(call, ast.Call) and last_name(call.func) == "enumerate" and call.args:
        call = call.args[0]
    if not (isinstance(call, ast.Call) and last_name(call.func) == "range" and len(call.args) == 1):
        return None
    from zerograd.lint.checks.wrong_divisor import number_of

    total = number_of(call.args[0], window.deposit.frame, case)
    lengths = list(moduli(window.test, window.frame)) if window.test else []
    length = number_of(*lengths[0], case) if lengths else None
    return total % length if total is not None and length else None


WORDS = {
    "tail-leaks": (
        "leaves an unfinished last window, which leaks into the next epoch",
        "step also at the last batch of the epoch",
    ),
    "tail-dropped": ("never spends an unfinished last window", "step also at the last batch"),
}


def _draft(verdict: Verdict, window: AbstractWindow) -> Draft:
    assert window.test is not None
    message, help_ = WORDS[verdict.rule]
    return Draft(
        verdict,
        spot(window.step),
        f"`{text(window.step.node)}` {message}",
        help_,
        [
            ("the condition", Spot(window.test, window.frame.function.module)),
            ("deposited here", spot(window.deposit)),
        ],
        (window.step, window.deposit),
        window.at,
    )
