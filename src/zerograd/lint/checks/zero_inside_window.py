"""ZG103: a clear at each micro-batch throws a window's deposits away."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import clearing
from zerograd.lint.checks.evidence.case import Case, Draft, callers, spot
from zerograd.lint.checks.evidence.windows import (
    AbstractWindow,
    each_micro_batch,
    is_gated,
    windows,
)
from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.interpret.conditions import condition, leaves
from zerograd.lint.interpret.origins import in_handler
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.apply_event import Observation
    from zerograd.lint.values.value import CallFrame

KEEPING = frozenset({"clone", "detach", "flatten", "numpy", "ravel", "reshape", "view"})
"""What is called on a gradient to have it for later."""


def check(case: Case) -> Iterator[Draft]:
    """Windows whose deposits some clear in the deposit's own loop throws away."""
    for window in windows(case):
        seen = [
            item
            for item in case.meetings(window.step, window.at)
            if any(fresh.source == window.deposit.number for fresh in item.account.fresh)
        ]
        lost = [
            item
            for meeting in seen
            for item in meeting.account.thrown
            if item.source == window.deposit.number
        ]
        clear = _thrower(case, window, seen)
        verdict = clearing.zero_inside_window(
            all_but_last_thrown=clear is not None,
            # What a sum deposited lies there again with the next round's backward.
            used=any(item.used or item.shared for item in lost)
            or _is_carried_sum(window)
            or _is_kept_by_hand(window),
            meant=True,  # a test or a loop of its own makes it a window
        )
        if verdict is not None and clear is not None:
            yield _draft(verdict, window, clear)


def _thrower(case: Case, window: AbstractWindow, seen: list[Observation]) -> SourceEvent | None:
    """Return the clear that discards earlier deposits of the window, so that one is left."""
    for meeting in seen:
        if meeting.account.fresh[0].many:
            return None
        for lost in meeting.account.thrown:
            clear = case.event(lost.clear)
            if lost.source == window.deposit.number and (
                _each(clear, window) or _closes(case, clear, window)
            ):
                return clear
    return None


def _is_carried_sum(window: AbstractWindow) -> bool:
    """`total += loss`, `total.backward()`: whether each backward repeats those before it."""
    loss, loop = window.deposit.loss, window.loop
    if not isinstance(loss, ast.Name) or loop is None:
        return False
    first, deposit = getattr(loop, "lineno", 0), getattr(window.deposit.node, "lineno", 0)
    before = [
        item
        for item in window.deposit.frame.function.scope.bindings.get(loss.id, ())
        if first <= item.node.lineno <= deposit
    ]
    return bool(before) and all(
        isinstance(item.node, ast.AugAssign) and isinstance(item.node.op, ast.Add)
        for item in before
    )


def _is_kept_by_hand(window: AbstractWindow) -> bool:
    """`parts.append(p.grad.clone())` in the window's loop: what is cleared was put aside."""
    return window.loop is not None and any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in KEEPING
        and isinstance(node.func.value, ast.Attribute)
        and node.func.value.attr == "grad"
        for node in walk(window.loop)
    )


def _each(clear: SourceEvent, window: AbstractWindow) -> bool:
    if in_handler(clear.node, clear.frame):
        return False
    if window.gated:
        # Accelerate gates the optimizer's own zero_grad; a module's is not gated.
        return clear.effect is CallEffect.CLEAR and not clear.targets
    return each_micro_batch(clear, window)


def _closes(case: Case, clear: SourceEvent, window: AbstractWindow) -> bool:
    """Tell whether a clear waits for the step's own test, and comes before the last deposit.

    `if due: zero_grad()`, `backward()`, `if due: step()`: what lies there is of this window.
    Accelerate's `accumulate()` asks that test for both.
    """
    if in_handler(clear.node, clear.frame) or clear.number > window.deposit.number:
        # Below the deposit it ends a window, whether that was stepped or skipped.
        return False
    if window.gated:
        return clear.effect is CallEffect.CLEAR and is_gated(clear)
    if window.test is None:
        return False
    asked = _leaves(case, window.test, window.frame)
    return any(
        _leaves(case, test, item.frame) == asked
        for item in clear.context
        if item.place in (EnclosingKind.THEN, EnclosingKind.OTHER)
        and isinstance(test := getattr(item.node, "test", None), ast.expr)
    )


def _leaves(case: Case, test: ast.expr, frame: CallFrame) -> set[str]:
    """Return what a test asks for, in one form."""
    return {leaf.key for leaf in leaves(condition(test, frame, case.resolver))}


def _draft(verdict: Verdict, window: AbstractWindow, clear: SourceEvent) -> Draft:
    when = "at each micro-batch" if _each(clear, window) else "before the last micro-batch"
    message = (
        f"`{text(clear.node)}` clears {when}: `{text(window.step.node)}` spends only the last one"
    )
    evidence = [
        ("deposited here", spot(window.deposit)),
        ("spent here", spot(window.step)),
        *callers(clear),
    ]
    return Draft(
        verdict,
        spot(clear),
        message,
        f"clear once a window, after `{text(window.step.node)}`",
        evidence,
        (clear, window.step, window.deposit),
        window.at,
    )
