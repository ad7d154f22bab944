"""The test behind a flag: a name that was assigned from it, or set under it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.scope import Binding, BindingKind
from zerograd.lint.program.syntax import is_constant

if TYPE_CHECKING:
    from zerograd.lint.values.value import CallFrame


def assigned_from(found: list[Binding], home: CallFrame) -> tuple[ast.expr, CallFrame, bool] | None:
    """Return the test behind a flag: `x = test`, `x = A() if test else None`."""
    plain = [item for item in found if item.how is BindingKind.ASSIGNED and not item.index]
    if len(plain) != len(found):
        return None
    read = {1: _single, 2: _switched}.get(len(plain))
    behind = read(plain) if read is not None else None
    return (behind[0], home, behind[1]) if behind is not None else None


def _single(plain: list[Binding]) -> tuple[ast.expr, bool] | None:
    """Read a flag that is assigned once."""
    binding, value = plain[0], plain[0].value
    if isinstance(value, ast.IfExp):
        if is_constant(value.orelse, None, False):
            return value.test, True
        return (value.test, False) if is_constant(value.body, None, False) else None
    tests = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Name, ast.Attribute, ast.Constant)
    return (value, True) if isinstance(value, tests) and not binding.under else None


def _switched(plain: list[Binding]) -> tuple[ast.expr, bool] | None:
    """Read `x = None` with `if test: x = A()`: the two are one."""
    off = [item for item in plain if is_constant(item.value, None, False)]
    on = [item for item in plain if item not in off]
    if len(off) != 1 or len(on) != 1 or not on[0].under or isinstance(on[0].value, ast.Compare):
        return None
    test, polarity = on[0].under[-1]
    deeper = len(on[0].under) - len(off[0].under)
    beside = deeper == 0 and off[0].under[-1] == (test, not polarity)
    return (test, polarity) if deeper == 1 or beside else None
