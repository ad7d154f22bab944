"""What a loss is called where it is deposited, and the objects of the project it is handed to."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.interpret.origins import quiet_line
from zerograd.lint.program.module import Class, Function
from zerograd.lint.program.syntax import text
from zerograd.lint.values import call_frames

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

    KeptBy = Callable[[ast.Call], ast.expr | None]

ARITHMETIC = ast.Add | ast.Sub | ast.Mult | ast.Div
KEEPING = frozenset(
    {"mean", "sum", "cpu", "cuda", "to", "float", "double", "half", "bfloat16", "clone"}
    | {"squeeze", "unsqueeze", "view", "reshape", "flatten", "contiguous", "abs", "sqrt", "neg"}
)
"""Methods of a tensor, and functions of torch, whose result has the tensor's graph."""

SCALING = frozenset({"scale", "scale_loss"})
"""Methods of scalers, and apex's function, that return a loss times a number."""

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
    named = {item.arg for item in method.parameters}
    for given in call.keywords:
        if brought(given.value, {name}):
            return given.arg if given.arg in named else keywords_of(method)
    taken = method.parameters[1:] if method.self_name else method.parameters
    for item, parameter in zip(call.args, taken, strict=False):
        if brought(item, {name}):
            return parameter.arg
    return None


def keywords_of(method: Function) -> str | None:
    """Return the name of what takes all other keywords: `kwargs` of `**kwargs`."""
    taken = getattr(getattr(method.node, "args", None), "kwarg", None)
    return None if taken is None else str(taken.arg)


def carried(node: ast.expr, names: Collection[str], kept_by: KeptBy | None = None) -> str | None:
    """Return which of these an expression has the graph of; a number of it has none.

    Arithmetic keeps graphs, as methods of tensors like `mean` and `cpu` do; `kept_by` returns the
    argument whose graph any other call's result has.
    """
    if text(node) in names:
        return text(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
        return carried(node.left, names, kept_by) or carried(node.right, names, kept_by)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return carried(node.operand, names, kept_by)
    if isinstance(node, ast.Call):
        handed = handed_on(node)
        if handed is None and kept_by is not None:
            handed = kept_by(node)
        return None if handed is None else carried(handed, names, kept_by)
    return None


def handed_on(call: ast.Call) -> ast.expr | None:
    """Return the tensor that a call returns another shape, place or reduction of."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in KEEPING:
        return None
    if isinstance(func.value, ast.Name) and func.value.id == "torch":
        return call.args[0] if call.args else None
    return func.value


def brought(node: ast.expr, names: Collection[str], kept_by: KeptBy | None = None) -> str | None:
    """Return which of these an expression is, or a literal has in it: `{"loss": loss}`."""
    if isinstance(node, ast.Dict):
        inside: list[ast.expr] = node.values
    elif isinstance(node, ast.List | ast.Tuple):
        inside = node.elts
    else:
        return carried(node, names, kept_by)
    return next(filter(None, (brought(item, names, kept_by) for item in inside)), None)


def deposited_name(loss: ast.expr | None) -> str | None:
    """Return the name that is deposited: `loss` of `loss`, `loss / k` and `loss.mean()`."""
    found = deposited(loss)
    return found.id if isinstance(found, ast.Name) else None


def deposited(loss: ast.expr | None) -> ast.Name | ast.Attribute | ast.Subscript | None:
    """Return what is deposited, under its own name: also `out["loss"]` and `self.loss`.

    A scaler's loss is the loss: `scaler.scale(loss / k)`.
    """
    if isinstance(loss, ast.BinOp) and isinstance(loss.op, ast.Div | ast.Mult):
        sides = [item for item in map(deposited, (loss.left, loss.right)) if item is not None]
        named = (item for item in sides if "loss" in ast.unparse(item).lower())
        return next(named, sides[0] if sides else None)
    while isinstance(loss, ast.Call) and isinstance(loss.func, ast.Attribute):
        if loss.func.attr in SCALING and loss.args:
            return deposited(loss.args[0])
        if loss.func.attr not in REDUCING:
            return None
        # `torch.mean(loss)` and `loss.mean()`.
        torch = isinstance(loss.func.value, ast.Name) and loss.func.value.id == "torch"
        loss = (loss.args[0] if loss.args else None) if torch else loss.func.value
    return loss if isinstance(loss, ast.Name | ast.Attribute | ast.Subscript) else None
