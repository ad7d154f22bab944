"""ZG202 and ZG203: what becomes of a last window that the data does not fill."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import accumulation
from zerograd.lifecycle.verdicts.accumulation import is_plain
from zerograd.lifecycle.verdicts.verdict import Unknown
from zerograd.lint.checks.evidence.case import (
    Case,
    Draft,
    Spot,
    are_alternatives,
    loops_around,
    spot,
)
from zerograd.lint.checks.evidence.counted_windows import (
    CountedWindows,
    compares_with_the_end,
    counted,
    sum_facts,
)
from zerograd.lint.checks.evidence.divisors import number_of
from zerograd.lint.checks.evidence.windows import AbstractWindow, moduli, windows
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import last_name, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict


def check(case: Case) -> Iterator[Draft]:
    """Windows that data of another length than whole windows leaves unfinished."""
    for window in windows(case):
        if is_plain(sum_facts(case, window)) is False or _flushed(case, window):
            continue
        unfinished = _unfinished(case, window)
        verdict = accumulation.tail_leaks(
            spans_epochs=_goes_on(case, window), unfinished=unfinished
        ) or accumulation.tail_dropped(regular=True, unfinished=unfinished)
        if verdict is not None:
            yield _draft(verdict, window)


def _unfinished(case: Case, window: AbstractWindow) -> Fact:
    """Tell whether the last window of an epoch is left over, by runs with one batch too many.

    A counter that runs on over epochs has no tail: its windows are all of one size, wherever an
    epoch ends. A test that asks for the last batch and misses it means there to be none.
    """
    runs = counted(case, window)
    if not runs or not any(run.leaks or run.drops for run in runs if run.batches % run.length):
        return False
    if not any(run.leaks for run in runs) and _runs_on(runs):
        return False
    if compares_with_the_end(window):
        return True
    left = _remainder(case, window)
    return Unknown("tail-exists") if left is None else left > 0


def _runs_on(runs: list[CountedWindows]) -> bool:
    """Tell whether windows are filled over the ends of epochs, all of them alike."""
    return any(0 < item.carried < item.size for run in runs for item in run.filled)


def _goes_on(case: Case, window: AbstractWindow) -> bool:
    """Tell whether the loop runs again, and nothing clears between its runs."""
    loops = loops_around(window.deposit)
    cleared = any(
        window.at in event.must and len(loops_around(event)) < len(loops) and loops_around(event)
        for event in case.plan.events
        if event.effect is CallEffect.CLEAR
    )
    return (len(loops) >= 2 or case.repeated) and not cleared


def _flushed(case: Case, window: AbstractWindow) -> bool:
    """Another step of the same account outside the loop, or under another test in it."""
    return any(
        event is not window.step
        and window.at in (*event.must, *event.may)
        and not are_alternatives(event, window.step)  # `if amp: scaler.step(opt) else: opt.step()`
        for event in case.plan.events
        if event.effect is CallEffect.STEP
    )


def _remainder(case: Case, window: AbstractWindow) -> int | None:
    """How many deposits are left over; None when the source does not say."""
    call = getattr(window.loop, "iter", None)
    if isinstance(call, ast.Call) and last_name(call.func) == "enumerate" and call.args:
        call = call.args[0]
    if not (isinstance(call, ast.Call) and last_name(call.func) == "range" and len(call.args) == 1):
        return None
    total = number_of(call.args[0], window.deposit.frame, case)
    lengths = list(moduli(window)) if window.test else []
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
