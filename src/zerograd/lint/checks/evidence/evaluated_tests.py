"""Answers a small test, `(i + 1) % k == 0`, for given values of what it asks about."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING

from zerograd.lint.program.syntax import last_name, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Answer = int
"""Truth values are integers too."""

OPERATIONS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
DEPTH = 8


class UnknownError(Exception):
    """A test that is more than arithmetic."""


def asked(test: ast.expr, known: Mapping[str, ast.expr], depth: int = 0) -> set[str]:
    """Return the names, attributes and lengths that a test asks about, assigned ones looked up."""
    if depth > DEPTH:
        raise UnknownError
    name = _name(test)
    if name is not None:
        return asked(known[name], known, depth + 1) if name in known else {name}
    return {name for part in _parts(test) for name in asked(part, known, depth + 1)}


def answer(test: ast.expr, values: Mapping[str, Answer], known: Mapping[str, ast.expr]) -> Answer:
    """Return what a test says where names have these values."""
    name = _name(test)
    if name is not None:
        return values[name] if name not in known else answer(known[name], values, known)
    if isinstance(test, ast.Constant) and isinstance(test.value, int):
        return test.value
    said = [answer(part, values, known) for part in _parts(test)]
    if isinstance(test, ast.BoolOp):
        return all(said) if isinstance(test.op, ast.And) else any(said)
    if isinstance(test, ast.UnaryOp):
        return not said[0] if isinstance(test.op, ast.Not) else -said[0]
    try:
        return OPERATIONS[_operation(test)](*said)
    except (KeyError, ZeroDivisionError):
        raise UnknownError from None


def _name(test: ast.expr) -> str | None:
    """Return a name, an attribute or `len(loader)` in words."""
    is_length = isinstance(test, ast.Call) and last_name(test.func) == "len"
    return text(test) if is_length or isinstance(test, ast.Name | ast.Attribute) else None


def _operation(test: ast.expr) -> type[ast.AST]:
    if isinstance(test, ast.BinOp):
        return type(test.op)
    if isinstance(test, ast.Compare):
        return type(test.ops[0])
    raise UnknownError


def _parts(test: ast.expr) -> list[ast.expr]:
    """Return what an operation is done on."""
    if isinstance(test, ast.BinOp):
        return [test.left, test.right]
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return [test.left, *test.comparators]
    if isinstance(test, ast.BoolOp):
        return test.values
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not | ast.USub):
        return [test.operand]
    if isinstance(test, ast.Constant):
        return []
    raise UnknownError
