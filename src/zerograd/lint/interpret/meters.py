"""Objects of the project that are handed a loss: a meter may keep it, graph and all."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.interpret.origins import quiet_line
from zerograd.lint.program.module import Class, Function
from zerograd.lint.values import call_frames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.values.resolver import Resolver


def meters(event: SourceEvent, resolver: Resolver) -> Iterator[tuple[ast.Call, Function, str]]:
    """Yield the calls that hand the deposited loss to a method of the project's own object."""
    name, frame = deposited_name(event.loss), event.frame
    handed = rf"\.(?!append\b|scale\b|backward\b)\w+\((?:[^()\n]*,\s*)?{name}\b"
    if name is None or not frame.function.module.matches(re.compile(handed)):
        return
    node = frame.function.node
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", None)
    for call in frame.function.module.calls_given.get(name, ()):
        func = call.func
        inside = last is None or first <= call.lineno <= last
        if not inside or not isinstance(func, ast.Attribute) or quiet_line(call.lineno, frame):
            continue
        value = resolver.value(func.value, frame)
        if value is None or not isinstance(value.target, Class):
            continue
        method = next(
            (
                cls.methods[func.attr]
                for cls in call_frames.lineage(value.target, resolver)
                if func.attr in cls.methods
            ),
            None,
        )
        if method is not None:
            parameter = _parameter(method, call, name)
            if parameter is not None:
                yield call, method, parameter


def _parameter(method: Function, call: ast.Call, name: str) -> str | None:
    """Return the parameter that takes the loss."""
    for given in call.keywords:
        if isinstance(given.value, ast.Name) and given.value.id == name:
            return given.arg
    taken = method.parameters[1:] if method.self_name else method.parameters
    for item, parameter in zip(call.args, taken, strict=False):
        if isinstance(item, ast.Name) and item.id == name:
            return parameter.arg
    return None


def deposited_name(loss: ast.expr | None) -> str | None:
    """Return the name that is deposited: `loss` of `loss`, `loss / k` and `k * loss`."""
    if isinstance(loss, ast.BinOp) and isinstance(loss.op, ast.Div | ast.Mult):
        names = [deposited_name(loss.left), deposited_name(loss.right)]
        return next((name for name in names if name and "loss" in name.lower()), names[0])
    return loss.id if isinstance(loss, ast.Name) else None
