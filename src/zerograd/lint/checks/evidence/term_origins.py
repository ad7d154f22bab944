"""The modules that a term of a loss was computed by, whether or not its graph still leads there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.checks.evidence.detached_values import CUTS, METHODS
from zerograd.lint.interpret.origins import before, is_empty
from zerograd.lint.program.module import Function
from zerograd.lint.program.scope import returns
from zerograd.lint.program.syntax import children, dotted, text
from zerograd.lint.values import call_frames
from zerograd.lint.values.spelling import bindings_of
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame, Value

DEEP = 6
LARGEST = 400
"""Expressions that one term is followed through."""

LEADING = frozenset({"parameters", "named_parameters"})
"""Methods that lead to what a module trains without calling it."""

OF_A_MODULE = frozenset({"eval", "load_state_dict", "parameters", "state_dict", "train"})
"""What only modules are asked for: a name of which nothing else is known stands for one."""


def nets_behind(node: ast.expr, frame: CallFrame, resolver: Resolver) -> frozenset[str]:
    """Return the modules with parameters that a value was computed by, past every cut."""
    found: set[str] = set()
    seen: set[tuple[int, int]] = set()
    todo: list[tuple[ast.AST, CallFrame]] = [(node, frame)]
    while todo and len(seen) < LARGEST:
        part, home = todo.pop()
        if (id(part), id(home)) in seen:
            continue
        seen.add((id(part), id(home)))
        resolver.budget.spend()
        if isinstance(part, ast.Name):
            todo += _sources(part, home)
        elif isinstance(part, ast.Call) and (net := _net(part, home, resolver)) is not None:
            found.add(net)
        elif isinstance(part, ast.Call):
            todo += _returned(part, home, resolver)
        todo += [(child, home) for child in children(part)]
    return frozenset(found)


def _sources(node: ast.Name, frame: CallFrame) -> list[tuple[ast.AST, CallFrame]]:
    """Return what a name was given: its last assignments, or the argument of a call."""
    found, home = bindings_of(node, frame)
    if home is None:
        return []
    if not found and node.id in home.arguments:
        return [home.arguments[node.id]]
    return [(item.value, home) for item in before(found, node) if item.value is not None]


def _returned(
    call: ast.Call, frame: CallFrame, resolver: Resolver
) -> list[tuple[ast.AST, CallFrame]]:
    """Return what a function of the project returns to this call."""
    value = resolver.value(call.func, frame)
    target = resolver.definition(call.func, frame) or (value.target if value is not None else None)
    if not isinstance(target, Function) or frame.depth > DEEP:
        return []
    inside = call_frames.called(target, call, frame, value.wraps if value is not None else None)
    return [(item, inside) for item in returns(target.node)]


def _net(call: ast.Call, frame: CallFrame, resolver: Resolver) -> str | None:
    """Return the module that a call runs or asks for its parameters, spelled alike everywhere."""
    func = call.func
    if isinstance(func, ast.Attribute):
        if func.attr in LEADING:
            return _spelled(func.value, resolver.value(func.value, frame))
        if func.attr in METHODS | CUTS:
            return None
    value = resolver.value(func, frame)
    if value is not None and value.kind is ValueKind.MODULE:
        return None if is_empty(value, resolver) else _spelled(func, value)
    name = dotted(func)
    if name is None or frame.function.module.attributes(name).isdisjoint(OF_A_MODULE):
        return None
    return _spelled(func, value)


def _spelled(node: ast.expr, value: Value | None) -> str:
    return ".".join(value.key) if value is not None and value.key else text(node)
