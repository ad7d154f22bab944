"""ZG105: `.grad` is taken for a tensor where it is known to be None."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.lint.checks.evidence.case import Case, Draft, callers, spot, trail
from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import text, walk
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.interpret.apply_event import Observation


SETTLING = (ast.Continue, ast.Break, ast.Return, ast.Raise, ast.Assign, ast.AugAssign)
"""What a test for `.grad` must do to help the lines after it: leave, or put something there."""


def check(case: Case) -> Iterator[Draft]:
    """Find reads of an account that no backward has filled yet, or that was set to None."""
    for seen in case.of(CallEffect.READ):
        account = seen.account
        if account.none is not True or not account.empty or guarded(seen.event):
            continue
        if _deposited_since(seen):
            continue
        if account.begun and any(
            other.account.none is not True
            for other in case.meetings(seen.event, seen.at)
            if other.account.begun
        ):
            continue
        why = "it was cleared to None" if account.begun else "there was no backward yet"
        assert seen.event.loss is not None
        spelled = text(seen.event.loss)
        message = f"`{spelled}` is None here: {why}"
        yield Draft(
            Verdict("none-grad", Severity.ERROR),
            spot(seen.event),
            message,
            f"guard it: `if {spelled} is not None:`",
            callers(seen.event),
            (seen.event,),
            seen.at,
        )


def _deposited_since(seen: Observation) -> bool:
    """Tell whether a backward ran since the last clear, whomever it seems to reach."""
    for step in trail(seen.state.trail):
        if isinstance(step.what, SourceEvent):
            if step.what.effect is CallEffect.CLEAR and seen.at in step.what.must:
                return False
            if step.what.effect is CallEffect.DEPOSIT:
                return True
    return False


def guarded(event: SourceEvent) -> bool:
    """Tell whether a test or `try` around a read has `.grad` in mind."""
    for item in event.context:
        if item.place is EnclosingKind.TRY:
            return True
        test = (
            getattr(item.node, "test", None)
            if item.place in (EnclosingKind.THEN, EnclosingKind.OTHER)
            else None
        )
        if test is not None and any(
            (isinstance(node, ast.Attribute) and node.attr == "grad")
            or (isinstance(node, ast.Constant) and node.value == "grad")
            for node in walk(test)
        ):
            return True
    return _guarded_inline(event) or _skipped_before(event)


def _guarded_inline(event: SourceEvent) -> bool:
    """`p.grad.norm() if p.grad is not None else 0`, `[... for p in ps if p.grad is not None]`."""
    for node in walk(event.frame.function.node):
        tests: list[ast.AST] = []
        if isinstance(node, ast.IfExp):
            tests = [node.test]
        elif isinstance(node, ast.BoolOp):
            tests = list(node.values)
        elif isinstance(node, ast.comprehension):
            tests = list(node.ifs)
        if tests and _mentions(tests) and _spans(node, event.node):
            return True
    return False


def _skipped_before(event: SourceEvent) -> bool:
    """`if p.grad is None: continue` earlier in the same function."""
    line = getattr(event.node, "lineno", 0)
    for node in walk(event.frame.function.node):
        if (
            isinstance(node, ast.If)
            and node.lineno < line
            and _mentions([node.test])
            and any(isinstance(item, SETTLING) for item in walk(node))
        ):
            return True
    return False


def _mentions(tests: list[ast.AST]) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "grad"
        for test in tests
        for node in walk(test)
    )


def _spans(node: ast.AST, wanted: ast.AST) -> bool:
    if isinstance(node, ast.comprehension):
        return True
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return first <= getattr(wanted, "lineno", 0) <= last
