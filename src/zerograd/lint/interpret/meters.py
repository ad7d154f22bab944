"""What a loss is called where it is deposited, and the objects of the project it is handed to."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.interpret.origins import quiet_line
from zerograd.lint.program.module import Class, Function
from zerograd.lint.program.syntax import text
from zerograd.lint.values import call_frames

if TYPE_CHECKING:
    from collections.abc import Collection

    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

REDUCING = frozenset({"mean", "sum", "to", "cuda", "float", "squeeze"})
"""Methods that a loss goes through on its way to its backward."""


def handed_to(
    call: ast.Call, name: str, frame: CallFrame, resolver: Resolver
) -> tuple[Function, str] | None:
    """Return the project's own method that a call hands a loss to, and the parameter it takes."""
    func = call.func
    if not isinstance(func, ast.Attribute) or quiet_line(call.lineno, frame):
        return None
    value = resolver.value(func.value, frame)
    if value is None or not isinstance(value.target, Class):
        return None
    for cls in call_frames.lineage(value.target, resolver):
        if func.attr in cls.methods:
            method = cls.methods[func.attr]
            parameter = _parameter(method, call, name)
            return None if parameter is None else (method, parameter)
    return None


def _parameter(method: Function, call: ast.Call, name: str) -> str | None:
    """Return the parameter that takes the loss, perhaps scaled or in a list."""
    for given in call.keywords:
        if brought(given.value, {name}):
            return given.arg
    taken = method.parameters[1:] if method.self_name else method.parameters
    for item, parameter in zip(call.args, taken, strict=False):
        if brought(item, {name}):
            return parameter.arg
    return None


def carried(node: ast.expr, names: Collection[str]) -> str | None:
    """Return which of these an expression is, perhaps scaled; a number of it has no graph."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        return carried(node.left, names) or carried(node.right, names)
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
        spelled = text(node)
        return spelled if spelled in names else None
    return None


def brought(node: ast.expr, names: Collection[str]) -> str | None:
    """Return which of these an expression is, or a literal has in it: `{"loss": loss}`."""
    if isinstance(node, ast.Dict):
        return next(filter(None, (brought(item, names) for item in node.values)), None)
    if isinstance(node, ast.List | ast.Tuple):
        return next(filter(None, (brought(item, names) for item in node.elts)), None)
    return carried(node, names)


def deposited_name(loss: ast.expr | None) -> str | None:
    """Return the name that is deposited: `loss` of `loss`, `loss / k` and `loss.mean()`."""
    found = deposited(loss)
    return found.id if isinstance(found, ast.Name) else None


def deposited(loss: ast.expr | None) -> ast.Name | ast.Attribute | ast.Subscript | None:
    """Return what is deposited, under its own name: also `out["loss"]` and `self.loss`."""
    if isinstance(loss, ast.BinOp) and isinstance(loss.op, ast.Div | ast.Mult):
        sides = [item for item in map(deposited, (loss.left, loss.right)) if item is not None]
        named = (item for item in sides if "loss" in ast.unparse(item).lower())
        return next(named, sides[0] if sides else None)
    while isinstance(loss, ast.Call) and isinstance(loss.func, ast.Attribute):
        if loss.func.attr not in REDUCING:
            return None
        # `torch.mean(loss)` and `loss.mean()`.
        torch = isinstance(loss.func.value, ast.Name) and loss.func.value.id == "torch"
        loss = (loss.args[0] if loss.args else None) if torch else loss.func.value
    return loss if isinstance(loss, ast.Name | ast.Attribute | ast.Subscript) else None
