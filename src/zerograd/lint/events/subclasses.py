"""Optimizers of the project's own: what their `step` and `zero_grad` do, read from the class.

Their bodies are not run: they loop over `param_groups` in ways of their own. What matters of them
is whether a step spends, whether it also clears, and whether `zero_grad` still clears.
"""

from __future__ import annotations

import ast
from enum import Enum, auto
from typing import TYPE_CHECKING

from zerograd.lint.events.tensors import holder, is_zero
from zerograd.lint.program.module import Class
from zerograd.lint.program.syntax import last_name, walk
from zerograd.lint.values import call_frames
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from zerograd.lint.program.module import Function
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import Value

DEEP = 3
"""Methods of the class that one of them calls, and so on."""

CLEARS = frozenset({"zero_grad", "zero_", "_foreach_zero_"})
UNSEEN = frozenset({"backward", "setattr", "closure", "first_step", "second_step"})
"""What a method may call that does more than spend, or what nobody can see from outside."""


class MethodEffect(Enum):
    """What a method of an optimizer does to the gradients."""

    SPENDS = auto()
    SPENDS_AND_CLEARS = auto()
    CLEARS = auto()
    UNKNOWN = auto()


def own_method(value: Value | None, name: str, resolver: Resolver) -> Function | None:
    """Return the method that the project's own class of an optimizer has, inherited or not."""
    if (
        value is None
        or value.kind is not ValueKind.OPTIMIZER
        or not isinstance(value.target, Class)
    ):
        return None
    found = (cls.methods.get(name) for cls in call_frames.lineage(value.target, resolver))
    return next((method for method in found if method is not None), None)


def doing_of_step(method: Function, value: Value, resolver: Resolver) -> MethodEffect:
    """Return what a step of the project's own does: it spends, unless more can be seen in it."""
    if any(name.endswith("overload") for name in method.decorators):
        return MethodEffect.UNKNOWN
    bodies = _bodies(method, value, resolver)
    called = {last_name(node.func) for body in bodies for node in _calls(body)}
    stepped = [node for node in _calls(method) if last_name(node.func) == "step"]
    if called & (UNSEEN - {"closure"}) or any(not _is_super(node) for node in stepped):
        # Another optimizer inside, as Lookahead's: its methods may have been replaced.
        return MethodEffect.UNKNOWN
    if _repeats(method) or len(stepped) > 1:
        return MethodEffect.UNKNOWN
    if any(_clears(body) or _writes(body) for body in bodies):
        top = getattr(method.node, "body", [])
        sure = any(
            isinstance(stmt, ast.Expr)
            and isinstance(stmt.value, ast.Call)
            and last_name(stmt.value.func) == "zero_grad"
            for stmt in top
        )
        return MethodEffect.SPENDS_AND_CLEARS if sure else MethodEffect.UNKNOWN
    return MethodEffect.SPENDS


def doing_of_zero_grad(method: Function, value: Value, resolver: Resolver) -> MethodEffect:
    """Return what a `zero_grad` of the project's own does: it clears if anything in it does."""
    bodies = _bodies(method, value, resolver)
    return MethodEffect.CLEARS if any(_clears(body) for body in bodies) else MethodEffect.UNKNOWN


def _bodies(method: Function, value: Value, resolver: Resolver) -> list[Function]:
    """Return a method and those of the same object that it calls."""
    found, fresh = [method], [method]
    for _ in range(DEEP):
        names = {last_name(node.func) or "" for body in fresh for node in _calls(body)}
        methods = (own_method(value, name, resolver) for name in sorted(names))
        fresh = [item for item in methods if item is not None and item not in found]
        found += fresh
    return found


def _calls(method: Function) -> list[ast.Call]:
    return [node for node in walk(method.node) if isinstance(node, ast.Call)]


def _is_super(call: ast.Call) -> bool:
    func = call.func
    return (
        isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Call)
        and last_name(func.value.func) == "super"
    )


def _clears(method: Function) -> bool:
    """Tell whether a body clears a `.grad`, or calls what does."""
    if any(last_name(node.func) in CLEARS for node in _calls(method)):
        return True
    return any(
        isinstance(node, ast.Assign)
        and any(holder(target) is not None for target in node.targets)
        and is_zero(node.value)
        for node in walk(method.node)
    )


def _writes(method: Function) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Store)
        for node in walk(method.node)
    )


def _repeats(method: Function) -> bool:
    """Tell whether a closure is evaluated in a loop, or another time."""
    return sum(last_name(node.func) == "closure" for node in _calls(method)) > 1
