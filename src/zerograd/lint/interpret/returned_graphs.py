"""Calls whose result has the graph of what they were given, and the names it goes by inside.

Worked example, as many a distributed script has it:

    def reduce_tensor(tensor, ranks):
        reduced = tensor.clone()          # has the graph of `tensor`
        dist.all_reduce(reduced)
        reduced /= ranks
        return reduced

So `total += reduce_tensor(loss, 2)` keeps the graph of every `loss`; with `loss.item()` or
`loss.detach()` in its place it keeps none.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.interpret.loss_receivers import carried
from zerograd.lint.interpret.origins import QUIET
from zerograd.lint.program.module import Function, statements
from zerograd.lint.program.scope import BindingKind, returns
from zerograd.lint.program.syntax import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

DIFFERENTIABLE = frozenset(
    {"horovod.torch.allreduce", "horovod.torch.allgather", "horovod.torch.broadcast"}
    | {
        f"torch.distributed.nn.{home}{name}"
        for home in ("", "functional.")
        for name in ("all_reduce", "reduce")
    }
)
"""Collectives that autograd follows: they return a new tensor with the graph of the old one."""


def argument_kept(call: ast.Call, frame: CallFrame, resolver: Resolver) -> ast.expr | None:
    """Return the argument whose graph a call's result has, if its function shows it."""
    if (resolver.origin(call.func, frame) or "") in DIFFERENTIABLE:
        return call.args[0] if call.args else None
    target = resolver.definition(call.func, frame)
    if not isinstance(target, Function) or target.decorators or is_quiet(target):
        return None
    returned = returns(target.node)
    taken = target.parameters[1:] if target.self_name else target.parameters
    for given, parameter in zip(call.args, taken, strict=False):
        names = names_within(parameter.arg, target)
        if returned and all(carried(value, names) for value in returned):
            return given
    return None


def is_quiet(function: Function) -> bool:
    """Tell whether a function turns gradients off somewhere: nothing in it is taken for granted."""
    return any(
        isinstance(stmt, ast.With | ast.AsyncWith)
        and any(word in text(item.context_expr) for item in stmt.items for word in QUIET)
        for stmt in statements(getattr(function.node, "body", []))
    )


def names_within(parameter: str, function: Function) -> frozenset[str]:
    """Return the names that have the graph of a parameter: `reduced = tensor.clone()`."""
    names = {parameter}
    bound = function.scope.bindings
    if any(item.how is not BindingKind.CHANGED for item in bound.get(parameter, ())):
        return frozenset()
    for target, found in bound.items():
        made = [item for item in found if item.how is not BindingKind.CHANGED]
        if len(made) == 1 and made[0].how is BindingKind.ASSIGNED and not made[0].index:
            value = made[0].value
            if value is not None and "." not in target and carried(value, names):
                names.add(target)
    return frozenset({*names, *_each_of(parameter, function)})


def _each_of(parameter: str, function: Function) -> Iterator[str]:
    """`for i, value in enumerate(values):`, `for k, v in values.items():`, `values[k]`."""
    for target, found in function.scope.bindings.items():
        if len(found) != 1 or found[0].how is not BindingKind.ITERATED:
            continue
        over, index = found[0].value, found[0].index
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute):
            if text(over.func.value) == parameter:
                named = {"items": (1,), "values": ()}.get(over.func.attr)
                if index == named:
                    yield target
                if over.func.attr in ("items", "keys") and index != named:
                    yield f"{parameter}[{target}]"
        elif isinstance(over, ast.Call) and over.args:
            if text(over.args[0]) == parameter:  # of `enumerate` and `zip`
                yield target
        elif isinstance(over, ast.Name) and over.id == parameter:
            yield from (target, f"{parameter}[{target}]")
