"""Modules that a helper or a method puts into a model after its optimizer was built."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.module import Class, Function
from zerograd.lint.program.scope import BindingKind, with_tests
from zerograd.lint.program.syntax import is_constant, text
from zerograd.lint.values import call_frames
from zerograd.lint.values.value import ValueKind
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.checks.evidence.optimizers import BuiltOptimizer
    from zerograd.lint.program.scope import Binding
    from zerograd.lint.values.value import CallFrame


@record(frozen=True, eq=False)
class LaterModule:
    """One module that came after the optimizer."""

    name: str
    """As the program around the optimizer would call it: `lm.embed`."""

    binding: Binding
    function: Function
    call: ast.Call
    replaces: bool
    """Another module had its place; otherwise there was none."""


def later_modules(case: Case, item: BuiltOptimizer, held: set[str]) -> Iterator[LaterModule]:
    """Yield what calls behind a construction put into the modules that the optimizer holds.

    Only plain statements of the same function, which run once and for sure.
    """
    home = item.value.frame or item.event.frame
    body = getattr(home.function.node, "body", [])
    for stmt, under in with_tests(body if isinstance(body, list) else []):
        call = stmt.value if isinstance(stmt, ast.Expr) else None
        if under or not isinstance(call, ast.Call) or call.lineno <= item.site.lineno:
            continue
        found = _entered(case, call, home, held)
        if found is not None:
            function, parameter, name = found
            yield from _put(case, item, _Given(call, home, function, parameter, name))


@record(frozen=True, eq=False)
class _Given:
    """A call that is given a module which an optimizer holds."""

    node: ast.Call
    frame: CallFrame
    function: Function
    parameter: str
    name: str
    """The module as the caller calls it."""


def _entered(
    case: Case, call: ast.Call, home: CallFrame, held: set[str]
) -> tuple[Function, str, str] | None:
    """Return the function that a call runs, the parameter that is the module, and its name."""
    value = case.resolver.value(call.func, home)
    target = case.resolver.definition(call.func, home) or (value.target if value else None)
    if not isinstance(target, Function):
        return None
    if isinstance(call.func, ast.Attribute) and text(call.func.value) in held:
        return (target, target.self_name, text(call.func.value)) if target.self_name else None
    given = call_frames.arguments(target, call, home, bound=target.self_name is not None)
    for parameter, (node, _) in given.items():
        if text(node) in held:
            return target, parameter, text(node)
    return None


def _put(case: Case, item: BuiltOptimizer, call: _Given) -> Iterator[LaterModule]:
    """Yield the modules that a function assigns to attributes of one of its parameters."""
    inside = call_frames.called(call.function, call.node, call.frame)
    for target, bindings in call.function.scope.bindings.items():
        base, _, attr = target.partition(".")
        if base != call.parameter or not attr or "." in attr or len(bindings) != 1:
            continue
        binding = bindings[0]
        made = case.resolver.value(binding.value, inside)
        if (
            binding.how is BindingKind.ASSIGNED
            and not binding.under
            and isinstance(binding.value, ast.Call)
            and made is not None
            and made.kind is ValueKind.MODULE
            and made.site is binding.value
        ):
            replaces = _had(case, item, call, attr)
            if replaces is not None:
                name = f"{call.name}.{attr}"
                yield LaterModule(name, binding, call.function, call.node, replaces)


def _had(case: Case, item: BuiltOptimizer, call: _Given, attr: str) -> bool | None:
    """Tell whether the module's constructor put something there; None when it is not seen."""
    held = next(
        (
            case.resolver.value(node, call.frame)
            for node in ast.walk(item.site)
            if isinstance(node, ast.Name | ast.Attribute) and text(node) == call.name
        ),
        None,
    )
    if held is None or not isinstance(held.target, Class):
        return None
    for cls in call_frames.lineage(held.target, case.resolver):
        for method, found in cls.assignments(attr):
            if method.last_name == "__init__":
                return not all(is_constant(binding.value, None) for binding in found)
    return None
