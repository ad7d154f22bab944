"""What a loss is divided by on its way to the deposit, and what it was reduced with."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.module import Function
from zerograd.lint.scope import Binding, How
from zerograd.lint.syntax import keyword, last_name, walk
from zerograd.record import field, record

if TYPE_CHECKING:
    from zerograd.lint.events.event import Event
    from zerograd.lint.names.resolver import Resolver
    from zerograd.lint.names.values import Frame

DEEP = 6


@record()
class Scaling:
    """The factors between a loss and its deposit."""

    divisors: list[ast.expr] = field(default_factory=list)
    factors: list[ast.expr] = field(default_factory=list)
    terms: list[ast.expr] = field(default_factory=list)
    """What remains when the factors are taken off."""


def scaling_of(event: Event) -> Scaling:
    """Follow the deposited value back through its own function."""
    found = Scaling()
    if event.loss is not None:
        _follow(event.loss, event.frame, found, DEEP)
        name = last_name(event.loss)
        changed = event.frame.function.module.attributes(name or "")
        if not changed.isdisjoint(("mul_", "div_")):
            # `loss.mul_(weight)` scales in place, somewhere on the way.
            found.divisors.append(event.loss)
    return found


def _follow(node: ast.expr, frame: Frame, found: Scaling, left: int) -> None:
    for _ in range(left):
        onward = (
            _past_factor(node, found)
            if isinstance(node, ast.BinOp | ast.Call)
            else _past_name(node, frame, found)
        )
        if onward is None:
            break
        node, frame = onward if isinstance(onward, tuple) else (onward, frame)
    found.terms.append(node)


def _past_factor(node: ast.BinOp | ast.Call, found: Scaling) -> ast.expr | None:
    """Take one factor off an expression."""
    if isinstance(node, ast.Call):
        return _past_call(node, found)
    if isinstance(node.op, ast.Div | ast.FloorDiv):
        found.divisors.append(node.right)
        return node.left
    if not isinstance(node.op, ast.Mult):
        return None
    scale = _inverse(node.left) or _inverse(node.right)
    if scale is not None:
        found.divisors.append(scale)
    found.factors += [node.left, node.right]
    leading = _inverse(node.left) is not None or isinstance(node.left, ast.Constant)
    return node.right if leading else node.left


def _past_call(node: ast.Call, found: Scaling) -> ast.expr | None:
    """`scaler.scale(loss)`, `amp.scale_loss(loss, o)` and `loss.div(k)` hand the loss on."""
    name = last_name(node.func)
    if name in ("scale", "scale_loss") and node.args:
        return node.args[0]
    if name == "div" and node.args and isinstance(node.func, ast.Attribute):
        found.divisors.append(node.args[0])
        return node.func.value
    return None


def _past_name(
    node: ast.expr, frame: Frame, found: Scaling
) -> ast.expr | tuple[ast.expr, Frame] | None:
    """From a name to what it was assigned, or to the caller's argument."""
    if not isinstance(node, ast.Name):
        return None
    binding = _last(frame.function.scope.bindings.get(node.id, []), node, found)
    if binding is not None and binding.value is not None:
        return binding.value
    return frame.arguments.get(node.id)


def _inverse(node: ast.expr) -> ast.expr | None:
    """`k` of `1 / k`."""
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and isinstance(node.left, ast.Constant)
    ):
        return node.right
    return None


def _last(found: list[Binding], node: ast.Name, scaling: Scaling) -> Binding | None:
    """Return the assignment that gave a name its value; `loss /= k` on the way is a divisor."""
    line = getattr(node, "lineno", 0)
    for binding in sorted(found, key=lambda item: item.node.lineno, reverse=True):
        if binding.node.lineno >= line and binding.node.lineno != line:
            continue
        if binding.how is How.CHANGED:
            op = getattr(binding.node, "op", None)
            if isinstance(op, ast.Div) and binding.value is not None:
                scaling.divisors.append(binding.value)
            elif isinstance(op, ast.Mult) and binding.value is not None:
                scaling.factors.append(binding.value)
                inverse = _inverse(binding.value)
                if inverse is not None:
                    scaling.divisors.append(inverse)
            continue
        if binding.how is How.ENTERED and isinstance(binding.value, ast.Call):
            return binding
        if binding.how is How.ASSIGNED and not _is_itself(binding, node, line):
            return binding
    return None


def _is_itself(binding: Binding, node: ast.Name, line: int) -> bool:
    return (
        binding.node.lineno == line
        and binding.value is not None
        and any(item is node for item in walk(binding.value))
    )


def reduction(scaling: Scaling, event: Event, resolver: Resolver) -> str:
    """`mean`, `sum` or `unknown`, as far as the source shows it."""
    for term in scaling.terms:
        for item in walk(term):
            if isinstance(item, ast.Call):
                kind = _call_reduction(item, event, resolver)
                if kind is not None:
                    return kind
    return "unknown"


def _own_reduction(function: Function) -> str | None:
    """Return what a function of the project reduces with; a mean of sums is a mean."""
    names = {last_name(node.func) for node in walk(function.node) if isinstance(node, ast.Call)}
    if "mean" in names:
        return "mean"
    return "sum" if "sum" in names else None


def _call_reduction(call: ast.Call, event: Event, resolver: Resolver) -> str | None:
    name = last_name(call.func) or ""
    target = resolver.definition(call.func, event.frame)
    if isinstance(target, Function):
        return _own_reduction(target)
    if name == "mean":
        return "mean"
    if name in ("sum", "nansum"):
        return "sum"
    given = keyword(call, "reduction")
    if isinstance(given, ast.Constant):
        return str(given.value) if given.value in ("mean", "sum") else "unknown"
    origin = resolver.origin(call.func, event.frame) or ""
    name = origin.rpartition(".")[2] or name
    if "functional" in origin and ("loss" in name or "entropy" in name) and given is None:
        return "mean"
    value = resolver.value(call.func, event.frame)
    if value is not None and value.site is not None and (value.maker or "").endswith("Loss"):
        made = keyword(value.site, "reduction")
        if made is None:
            return "mean"
        return str(made.value) if isinstance(made, ast.Constant) else "unknown"
    return None
