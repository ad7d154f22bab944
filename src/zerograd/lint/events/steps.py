"""Steps: of an optimizer, of a scaler with what belongs to it, with a closure, of a schedule."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import SourceEvent
from zerograd.lint.events.receivers import OWNERS, own
from zerograd.lint.events.subclasses import MethodEffect, doing_of_step, own_method
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Class, Function
from zerograd.lint.program.syntax import argument, is_constant, keyword, last_name, walk
from zerograd.lint.values.value import CallFrame, Value, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.values.resolver import Resolver

SCHEDULED_BY = frozenset({"epoch", "metrics", "metric", "step", "closure"})
"""What a learning rate's schedule is told; a pipeline's schedule is given batches."""
CLOSURE_LOOPS = frozenset({"LBFGS", "FullBatchLBFGS", "LBFGSNew", "LBFGSB", "PatternSearch"})
"""Optimizers whose step evaluates the closure several times."""


def step(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Read `receiver.step(...)`; None when the project defines it itself."""
    value = own(func, frame, resolver)
    if value is None:
        return _own_step(call, func, frame, resolver)
    if value.kind is ValueKind.SCALER:
        return _scaler_step(call, value, frame, resolver)
    if value.kind in (ValueKind.OPTIMIZER, ValueKind.OPTIMIZERS):
        if _owned_engine(func):
            return []
        return _optimizer_step(call, value, frame, resolver)
    if value.kind is ValueKind.SCHEDULER:
        if any(item.arg not in SCHEDULED_BY for item in call.keywords):
            return []
        return [SourceEvent(CallEffect.SCHEDULE, call, frame, targets=(value,))]
    return [] if value.kind is not ValueKind.INSTANCE else None


def _optimizer_step(
    call: ast.Call, value: Value, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent]:
    """Read `optimizer.step()` with its closure and what else it is told."""
    event = SourceEvent(CallEffect.STEP, call, frame, targets=(value,))
    event.closure = _closure(call, frame, resolver)
    event.around = _defined_in(call, frame, resolver)
    given = argument(call, 0, "closure")
    if event.closure is None and given is not None and not is_constant(given, None):
        return [SourceEvent(CallEffect.UNKNOWN, call, frame, (value,), everything=True), event]
    event.repeats_closure = _repeats_closure(value)
    clear = keyword(call, "zero_grad")
    if clear is not None and not is_constant(clear, False):
        return [event, SourceEvent(CallEffect.CLEAR, call, frame, targets=(value,))]
    return [event]


def _own_step(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Read the step of an optimizer of the project's own; None if it is none."""
    value = resolver.value(func.value, frame)
    method = own_method(value, "step", resolver)
    if value is None or method is None:
        return None
    doing = doing_of_step(method, value, resolver)
    if doing is MethodEffect.UNKNOWN:
        return None
    events = _optimizer_step(call, value, frame, resolver)
    if doing is MethodEffect.SPENDS_AND_CLEARS:
        events.append(SourceEvent(CallEffect.CLEAR, call, frame, targets=(value,)))
    return events


def _repeats_closure(value: Value) -> bool:
    """Tell whether a step evaluates its closure several times."""
    written = value.target.methods.get("step") if isinstance(value.target, Class) else None
    if written is None:
        return (value.maker or "").rpartition(".")[2] in CLOSURE_LOOPS
    return any(
        isinstance(node, ast.Call) and last_name(node.func) == "closure"
        for loop in walk(written.node)
        if isinstance(loop, ast.For | ast.While)
        for node in walk(loop)
    )


def _owned_engine(func: ast.Attribute) -> bool:
    name = last_name(func.value)
    return name in OWNERS


def _scaler_step(
    call: ast.Call, scaler: Value, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent]:
    target = resolver.value(argument(call, 0, "optimizer"), frame)
    targets = (target,) if target is not None else ()
    event = SourceEvent(CallEffect.STEP, call, frame, targets=targets, scaler=scaler)
    event.everything = target is None
    if len(call.args) > 1 or keyword(call, "closure") is not None:
        return [SourceEvent(CallEffect.UNKNOWN, call, frame, targets, everything=True), event]
    return [event]


def _defined_in(call: ast.Call, frame: CallFrame, resolver: Resolver) -> CallFrame | None:
    """Return the frame whose names a closure sees, if a helper made it."""
    given = argument(call, 0, "closure")
    value = resolver.value(given, frame) if given is not None else None
    nested = value is not None and isinstance(value.target, Function) and not value.target.owner
    return value.frame if value is not None and nested else None


def _closure(call: ast.Call, frame: CallFrame, resolver: Resolver) -> Function | None:
    given = argument(call, 0, "closure")
    if isinstance(given, ast.Name) and _defined_again(given.id, frame):
        return None
    value = resolver.value(given, frame) if given is not None else None
    if value is not None and isinstance(value.target, Function):
        return value.target
    found = resolver.definition(given, frame) if given is not None else None
    return found if isinstance(found, Function) else None


def _defined_again(name: str, frame: CallFrame) -> bool:
    """Tell whether several functions of one name stand in a scope: which is meant, who knows."""
    return len(frame.function.scope.bindings.get(name, ())) > 1


def update(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Read `scaler.update()`."""
    value = own(func, frame, resolver)
    if value is None or value.kind is not ValueKind.SCALER:
        return None
    return [SourceEvent(CallEffect.UPDATE, call, frame, targets=(value,), scaler=value)]


def unscale(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Read `scaler.unscale_(optimizer)`."""
    value = own(func, frame, resolver)
    if value is None:
        return None
    target = resolver.value(argument(call, 0, "optimizer"), frame)
    event = SourceEvent(CallEffect.UNSCALE, call, frame, scaler=value)
    event.targets = (target,) if target is not None else ()
    event.everything = target is None
    return [event]


def by_loss_scaler(
    call: ast.Call, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """`loss_scaler(loss, optimizer, need_update=c)`: deposit and, under `c`, the step."""
    optimizer = resolver.value(argument(call, 1, "optimizer"), frame)
    if optimizer is None or optimizer.kind is not ValueKind.OPTIMIZER:
        return None
    deposit = SourceEvent(CallEffect.DEPOSIT, call, frame, loss=argument(call, 0, "loss"))
    step = SourceEvent(CallEffect.STEP, call, frame, targets=(optimizer,))
    step.gate = keyword(call, "need_update") or keyword(call, "update_grad")
    return [deposit, step]
