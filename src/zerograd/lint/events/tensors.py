"""Whose gradient an expression means, and which values are zeros."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import (
    answered,
    children,
    is_constant,
    kept,
    last_name,
    text,
    walk,
)
from zerograd.lint.values import parameter_sets
from zerograd.lint.values.spelling import bindings_of
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

NAMES_BACK = 3
"""Assignments from a gradient to the update that it is used in."""

ZERO_CALLS = frozenset({"zeros", "zeros_like", "new_zeros", "zero_"})


def holder(node: ast.AST) -> ast.expr | None:
    """`p` of `p.grad`, `p.grad.data`, `p._grad`; None for anything else."""
    while isinstance(node, ast.Attribute):
        if node.attr in ("grad", "_grad"):
            return node.value
        if node.attr not in ("data",):
            return None
        node = node.value
    return None


@kept
def has_grads(node: ast.AST) -> bool:
    """Tell whether an expression reads a `.grad`; what was asked of a part is not asked again.

    In a chain of methods each call is asked, the inner ones first.
    """
    todo = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, ast.Attribute) and item.attr == "grad":
            return True
        for child in children(item):
            known = answered(has_grads, child)
            if known:
                return True
            if known is None:
                todo.append(child)
    return False


def grads_in(node: ast.AST) -> list[ast.expr]:
    """Return the tensors whose `.grad` an expression reads; `autograd.grad(...)` is a function."""
    called = {id(item.func) for item in walk(node) if isinstance(item, ast.Call)}
    return [
        item.value
        for item in walk(node)
        if isinstance(item, ast.Attribute) and item.attr == "grad" and id(item) not in called
    ]


def grads_behind(node: ast.AST, frame: CallFrame, depth: int = 0) -> list[ast.expr]:
    """Return the tensors whose gradients an expression is computed with, by whatever name.

    `g = z.grad` two lines above `z.data -= rate * g`: what counts is the latest assignment.
    """
    found = grads_in(node)
    if depth == NAMES_BACK:
        return found
    for item in walk(node):
        value = _given_to(item, frame) if isinstance(item, ast.Name) else None
        if value is not None:
            found += grads_behind(value, frame, depth + 1)
    return found


def view_of_grad(node: ast.expr, frame: CallFrame) -> ast.expr | None:
    """Return `p` for a name that was given `p.grad`, `p.grad.data` or `p.grad.detach()`."""
    value = _given_to(node, frame) if isinstance(node, ast.Name) else None
    while isinstance(value, ast.Call) and last_name(value.func) == "detach" and not value.args:
        value = value.func.value if isinstance(value.func, ast.Attribute) else None
    return holder(value) if value is not None else None


def _given_to(name: ast.Name, frame: CallFrame) -> ast.expr | None:
    """Return what the function assigned to a name last before the line that reads it."""
    found = frame.function.scope.bindings.get(name.id, ())
    earlier = [item for item in found if item.node.lineno < name.lineno]
    if not earlier or earlier[-1].how is not BindingKind.ASSIGNED:
        return None
    value = earlier[-1].value
    for place in earlier[-1].index:
        literal = isinstance(value, ast.Tuple) and place < len(value.elts)
        value = value.elts[place] if literal and isinstance(value, ast.Tuple) else None
    return value


def aimed(event: SourceEvent, node: ast.expr, resolver: Resolver) -> SourceEvent:
    """Point an event at the parameters that an expression stands for."""
    value = resolver.value(node, event.frame)
    event.manual = True
    if value is None:
        event.everything = True
    elif value.kind is ValueKind.PARAMETER:
        event.targets = tuple(part for part in value.parts if part.kind is ValueKind.OPTIMIZER)
        event.atoms = parameter_sets.of_parts(resolver, value)
        event.everything = event.atoms is None and not event.targets
    elif value.kind is ValueKind.OTHER and (
        event.effect not in (CallEffect.STEP, CallEffect.READ) or _is_any(node, event.frame)
    ):
        # Some tensor: the source does not show whose parameter it is.
        event.everything = True
    elif value.kind is ValueKind.MODULE:
        event.atoms = parameter_sets.within(resolver, value)
        event.everything = event.atoms is None
    elif value.kind is ValueKind.LEAF or value.key:
        event.atoms = frozenset({value.key})
    else:
        event.everything = True
    return event


def _is_any(node: ast.expr, frame: CallFrame) -> bool:
    """Tell whether a name is a loop's variable or an argument: the tensor has others."""
    found, home = bindings_of(node, frame)
    if home is None:
        return False
    return any(item.how is BindingKind.ITERATED for item in found) or (
        not found and "." not in text(node)
    )


def is_zero(value: ast.expr) -> bool:
    """None, 0, zeros in any spelling."""
    while isinstance(value, ast.Call):
        func = value.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name in ZERO_CALLS:
            return True
        if name not in ("detach", "clone", "to") or not isinstance(func, ast.Attribute):
            return False
        value = func.value
    if is_constant(value, None, 0, 0.0):
        return True
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return is_constant(value.left, 0, 0.0) or is_constant(value.right, 0, 0.0)
    return False
