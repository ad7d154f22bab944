"""ZG311: a method of the training loop that is named as a statement, and not called.

Python evaluates `loss.backward` and throws the method away. Nothing happened there, so that the
rules about the order of events have nothing to judge: a loop without a deposit is no training.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.lint.checks.evidence.case import Case, Draft, Spot
from zerograd.lint.program.module import Class, statements
from zerograd.lint.program.syntax import last_name, text
from zerograd.lint.values.call_frames import lineage
from zerograd.lint.values.value import ValueKind
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.program.module import Function
    from zerograd.lint.values.value import CallFrame, Value

METHODS = frozenset({"backward", "step"})
"""Without `zero_grad`: missing-zero finds what comes of it, and repairs it."""

STEPPED = (
    *(ValueKind.OPTIMIZER, ValueKind.OPTIMIZERS, ValueKind.SCHEDULER, ValueKind.SCALER),
    ValueKind.ENGINE,
)
"""Whose `step` is a method: clocks and environments may have a property of that name."""


def check(case: Case) -> Iterator[Draft]:
    """Look at the statements of every function that the root enters."""
    frames = {id(event.frame): event.frame for event in case.plan.events}
    frames[id(case.plan.frame)] = case.plan.frame
    for frame in frames.values():
        yield from _uncalled_in(frame, case)


def _uncalled_in(frame: CallFrame, case: Case) -> Iterator[Draft]:
    for statement in _repeated(frame.function.node):
        named = statement.value
        if not isinstance(named, ast.Attribute) or named.attr not in METHODS:
            continue
        value = case.resolver.value(named.value, frame)
        if _is_method(named.attr, value, case):
            yield Draft(
                Verdict("uncalled-method", Severity.ERROR),
                Spot(statement, frame.function.module),
                f"`{text(named)}` names the method and does not call it",
                f"write `{text(named)}()`",
            )


def _is_method(name: str, value: Value | None, case: Case) -> bool:
    """Tell whether the name stands for something that has to be called."""
    if value is None:
        return name != "step"
    if isinstance(value.target, Class):
        found = (cls.methods.get(name) for cls in lineage(value.target, case.resolver))
        if any(method is not None and _is_property(method) for method in found):
            return False
    return name != "step" or value.kind in STEPPED


def _is_property(method: Function) -> bool:
    return any(name.endswith("property") for name in method.decorators)


def _repeated(node: ast.AST) -> Iterator[ast.Expr]:
    """Yield the expressions that stand alone in a function, or in a loop of a file's own body.

    What stands outside may be the last line of a notebook's cell, which shows what it names.
    """
    body: list[ast.stmt] = getattr(node, "body", []) if not isinstance(node, ast.Lambda) else []
    if isinstance(node, ast.Module):
        loops = [item for item in statements(body) if isinstance(item, ast.For | ast.While)]
        body = [item for loop in loops for item in (*loop.body, *loop.orelse)]
    probed: set[int] = set()
    for statement in statements(body):
        if _is_probe(statement):
            probed |= {id(item) for item in statement.body}  # type: ignore[attr-defined]  # both have one
        if isinstance(statement, ast.Expr) and id(statement) not in probed:
            probed.add(id(statement))  # a loop inside of a loop is looked at twice
            yield statement


def _is_probe(statement: ast.stmt) -> bool:
    """`try: optimizer.step` with `except AttributeError`: asks whether there is one."""
    if isinstance(statement, ast.With):
        calls = [item.context_expr for item in statement.items]
        return any(
            isinstance(call, ast.Call) and last_name(call.func) == "suppress" for call in calls
        )
    if not isinstance(statement, ast.Try):
        return False
    kinds = [kind for item in statement.handlers for kind in _kinds(item.type)]
    return any(kind in (None, "AttributeError", "Exception", "BaseException") for kind in kinds)


def _kinds(caught: ast.expr | None) -> list[str | None]:
    return (
        [last_name(item) for item in caught.elts]
        if isinstance(caught, ast.Tuple)
        else [None if caught is None else last_name(caught)]
    )
