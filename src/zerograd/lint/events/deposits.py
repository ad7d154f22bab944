"""Backward calls: what they deposit, through which scaler, and which of them are not torch's."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import SourceEvent
from zerograd.lint.events.receivers import OWNERS, by_row, own, row_of
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import (
    argument,
    dotted,
    has_word_in,
    is_constant,
    keyword,
    last_name,
)
from zerograd.lint.values import parameter_sets
from zerograd.lint.values.value import CallFrame, Value, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.values.resolver import Resolver

TENSOR_ARGUMENTS = 4
"""What a tensor's own `backward` takes: gradient, retain_graph, create_graph, inputs."""


def backward(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Read `loss.backward()` and its kin; None when the project defines the method itself."""
    row = row_of(func, frame, resolver)
    if row is not None:
        return by_row(row, call, frame, resolver)
    value = own(func, frame, resolver)
    if value is None:
        return None
    if dotted(func) in ("torch.autograd.backward", "autograd.backward"):
        return [_deposit(call, argument(call, 0), frame, resolver)]
    if _owns(call, func, value, frame):
        return []
    given = argument(call, 0, "loss")
    if given is not None and (
        value.kind is ValueKind.OPTIMIZER or last_name(func.value) == "optimizer"
    ):
        if "zero_grad" not in frame.function.module.source.text:
            # An optimizer with a `backward` of its own may clear in its step, as ZeRO's do.
            return [SourceEvent(CallEffect.UNKNOWN, call, frame, (value,), everything=True)]
        return [_deposit(call, given, frame, resolver)]
    if isinstance(func.value, ast.Name) and func.value.id in ("self", "ctx", "cls"):
        return None
    if isinstance(func.value, ast.Call) and last_name(func.value.func) == "super":
        return []
    return _on_a_tensor(call, func, frame, resolver)


def _on_a_tensor(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Read `x.backward(...)` of a tensor, unless its arguments show something else."""
    if len(call.args) > TENSOR_ARGUMENTS or (call.args and _is_assigned(call, frame)):
        # `torch.ops.wkv.backward(B, T, C, r, k, v, gy, gr)`: a kernel.
        return None
    if call.args and _is_entered(func.value, frame):
        # `with Tape() as tape`: another library's record, cleared by its own means.
        return [SourceEvent(CallEffect.UNKNOWN, call, frame, everything=True)]
    return [_deposit(call, func.value, frame, resolver)]


def _is_assigned(call: ast.Call, frame: CallFrame) -> bool:
    """Tell whether a call's result gets a name: a tensor's own `backward` has none."""
    return any(
        binding.value is call
        for found in frame.function.scope.bindings.values()
        for binding in found
    )


def _is_entered(node: ast.expr, frame: CallFrame) -> bool:
    """Tell whether a name was bound by `with`, and by nothing that scales a loss."""
    if not isinstance(node, ast.Name):
        return False
    found = frame.function.scope.bindings.get(node.id, ())
    return any(
        item.how is BindingKind.ENTERED and not has_word_in(item.node, "scale_loss")
        for item in found
    )


def _owns(call: ast.Call, func: ast.Attribute, value: Value, frame: CallFrame) -> bool:
    """Tell whether an object with `backward(loss)` and `step()` keeps its own accounts."""
    if value.kind is ValueKind.ENGINE:
        return True
    name = last_name(func.value)
    if name is None or value.kind in (ValueKind.OPTIMIZER, ValueKind.OPTIMIZERS):
        return False
    if name in OWNERS:
        return True
    spelled = dotted(func.value)
    used = frame.function.module.attributes(spelled or "")
    return bool(call.args) and "step" in used


def _deposit(
    call: ast.Call, loss: ast.expr | None, frame: CallFrame, resolver: Resolver
) -> SourceEvent:
    event = SourceEvent(CallEffect.DEPOSIT, call, frame, loss=loss)
    # `x.backward(scaler.scale(g))` starts from a gradient that carries the scale.
    given = argument(call, 0, "gradient")
    event.scaler = scaler_of(loss, frame, resolver) or scaler_of(given, frame, resolver)
    if event.scaler is not None and not isinstance(loss, ast.Call):
        event.maybe_scaled = _scaled_sometimes(loss, frame)
    event.retains = is_constant(keyword(call, "retain_graph"), True) or is_constant(
        keyword(call, "create_graph"), True
    )
    event.creates = is_constant(keyword(call, "create_graph"), True)
    inputs = keyword(call, "inputs")
    if inputs is not None:
        event.atoms = parameter_sets.atoms(resolver, inputs, frame)
        event.everything = event.atoms is None
    return event


def _scaled_sometimes(loss: ast.AST | None, frame: CallFrame) -> bool:
    """`if scaler: loss = scaler.scale(loss)`: whether the loss is scaled depends on the path."""
    if not isinstance(loss, ast.Name):
        return False
    found = frame.function.scope.bindings.get(loss.id, ())
    return any(
        item.under
        for item in found
        if isinstance(item.value, ast.Call) and last_name(item.value.func) == "scale"
    )


def scaler_of(
    loss: ast.AST | None, frame: CallFrame, resolver: Resolver, depth: int = 0
) -> Value | None:
    """Return the scaler in `scaler.scale(loss)`, also through a name assigned from it."""
    if isinstance(loss, ast.Call) and isinstance(loss.func, ast.Attribute):
        if loss.func.attr == "scale":
            value = resolver.value(loss.func.value, frame)
            if value is not None and value.kind is ValueKind.SCALER:
                return value
        return None
    if isinstance(loss, ast.Name) and depth < 3:
        for binding in frame.function.scope.bindings.get(loss.id, ()):
            found = scaler_of(binding.value, frame, resolver, depth + 1)
            if found is not None:
                return found
    return None
