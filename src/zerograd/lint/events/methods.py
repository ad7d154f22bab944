"""What the well-known methods and functions do: backward, step, zero_grad, clip, scale."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import Event
from zerograd.lint.knowledge import Effect, On, Row
from zerograd.lint.module import Class, Function
from zerograd.lint.names import frames, parameters
from zerograd.lint.names.values import Frame, Kind, Value
from zerograd.lint.syntax import argument, dotted, is_constant, keyword, last_name

if TYPE_CHECKING:
    from zerograd.lint.names.resolver import Resolver

OWNERS = frozenset(
    {
        "engine",
        "model_engine",
        "booster",
        "strategy",
        "deepspeed_engine",
        "ds_engine",
        "runner",
        "deepspeed",
        "kfac",
    }
)
TENSOR_LIKE = frozenset({"loss", "output", "outputs", "out", "err", "error", "z", "y", "grad"})
SCHEDULED_BY = frozenset({"epoch", "metrics", "metric", "step", "closure"})
"""What a learning rate's schedule is told; a pipeline's schedule is given batches."""

CLOSURE_LOOPS = frozenset({"LBFGS", "FullBatchLBFGS", "LBFGSNew", "LBFGSB", "PatternSearch"})
"""Optimizers whose step evaluates the closure several times."""


def of_method(
    call: ast.Call, func: ast.Attribute, frame: Frame, resolver: Resolver
) -> list[Event] | None:
    """Read the events of `receiver.name(...)`; None when the name says nothing."""
    handler = HANDLERS.get(func.attr)
    if handler is not None:
        return handler(call, func, frame, resolver)
    row = _row(func, frame, resolver)
    return _by_row(row, call, frame, resolver) if row is not None else None


def _own(func: ast.Attribute, frame: Frame, resolver: Resolver) -> Value | None:
    """Return the receiver, unless the project itself defines this method for it."""
    value = resolver.value(func.value, frame)
    if value is not None and isinstance(value.target, Class):
        for cls in frames.lineage(value.target, resolver):
            if func.attr in cls.methods:
                return None
    return value or Value(Kind.OTHER)


def _backward(
    call: ast.Call, func: ast.Attribute, frame: Frame, resolver: Resolver
) -> list[Event] | None:
    row = _row(func, frame, resolver)
    if row is not None:
        return _by_row(row, call, frame, resolver)
    value = _own(func, frame, resolver)
    if value is None:
        return None
    if dotted(func) in ("torch.autograd.backward", "autograd.backward"):
        return [_deposit(call, argument(call, 0), frame, resolver)]
    if _owns(call, func, value, frame):
        return []
    given = argument(call, 0, "loss")
    if given is not None and (value.kind is Kind.OPTIMIZER or last_name(func.value) == "optimizer"):
        return [_deposit(call, given, frame, resolver)]
    if isinstance(func.value, ast.Name) and func.value.id in ("self", "ctx", "cls"):
        return None
    if isinstance(func.value, ast.Call) and last_name(func.value.func) == "super":
        return []
    if call.args and _is_assigned(call, frame):
        return None
    return [_deposit(call, func.value, frame, resolver)]


def _is_assigned(call: ast.Call, frame: Frame) -> bool:
    """Tell whether a call's result gets a name: a tensor's own `backward` has none."""
    return any(
        binding.value is call
        for found in frame.function.scope.bindings.values()
        for binding in found
    )


def _owns(call: ast.Call, func: ast.Attribute, value: Value, frame: Frame) -> bool:
    """Tell whether an object with `backward(loss)` and `step()` keeps its own accounts."""
    if value.kind is Kind.ENGINE:
        return True
    name = last_name(func.value)
    if name is None or value.kind in (Kind.OPTIMIZER, Kind.OPTIMIZERS):
        return False
    if name in OWNERS:
        return True
    spelled = dotted(func.value)
    used = frame.function.module.attributes.get(spelled or "", set())
    return bool(call.args) and "step" in used


def _deposit(call: ast.Call, loss: ast.expr | None, frame: Frame, resolver: Resolver) -> Event:
    event = Event(Effect.DEPOSIT, call, frame, loss=loss)
    event.scaler = scaler_of(loss, frame, resolver)
    if event.scaler is not None and not isinstance(loss, ast.Call):
        event.maybe_scaled = _scaled_sometimes(loss, frame)
    event.retains = is_constant(keyword(call, "retain_graph"), True) or is_constant(
        keyword(call, "create_graph"), True
    )
    event.creates = is_constant(keyword(call, "create_graph"), True)
    inputs = keyword(call, "inputs")
    if inputs is not None:
        event.atoms = parameters.atoms(resolver, inputs, frame)
        event.everything = event.atoms is None
    return event


def _scaled_sometimes(loss: ast.AST | None, frame: Frame) -> bool:
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
    loss: ast.AST | None, frame: Frame, resolver: Resolver, depth: int = 0
) -> Value | None:
    """Return the scaler in `scaler.scale(loss)`, also through a name assigned from it."""
    if isinstance(loss, ast.Call) and isinstance(loss.func, ast.Attribute):
        if loss.func.attr == "scale":
            value = resolver.value(loss.func.value, frame)
            if value is not None and value.kind is Kind.SCALER:
                return value
        return None
    if isinstance(loss, ast.Name) and depth < 3:
        for binding in frame.function.scope.bindings.get(loss.id, ()):
            found = scaler_of(binding.value, frame, resolver, depth + 1)
            if found is not None:
                return found
    return None


def _step(
    call: ast.Call, func: ast.Attribute, frame: Frame, resolver: Resolver
) -> list[Event] | None:
    value = _own(func, frame, resolver)
    if value is None:
        return None
    if value.kind is Kind.SCALER:
        return _scaler_step(call, value, frame, resolver)
    if value.kind in (Kind.OPTIMIZER, Kind.OPTIMIZERS):
        if _owned_engine(func):
            return []
        event = Event(Effect.STEP, call, frame, targets=(value,))
        event.closure = _closure(call, frame, resolver)
        event.around = _defined_in(call, frame, resolver)
        if event.closure is None and (call.args or keyword(call, "closure") is not None):
            return [Event(Effect.UNKNOWN, call, frame, (value,), everything=True), event]
        last = (value.maker or "").rpartition(".")[2]
        event.repeats_closure = last in CLOSURE_LOOPS
        clear = keyword(call, "zero_grad")
        if clear is not None and not is_constant(clear, False):
            return [event, Event(Effect.CLEAR, call, frame, targets=(value,))]
        return [event]
    if value.kind is Kind.SCHEDULER:
        if any(item.arg not in SCHEDULED_BY for item in call.keywords):
            return []
        return [Event(Effect.SCHEDULE, call, frame, targets=(value,))]
    return [] if value.kind is not Kind.INSTANCE else None


def _owned_engine(func: ast.Attribute) -> bool:
    name = last_name(func.value)
    return name in OWNERS


def _scaler_step(call: ast.Call, scaler: Value, frame: Frame, resolver: Resolver) -> list[Event]:
    target = resolver.value(argument(call, 0, "optimizer"), frame)
    targets = (target,) if target is not None else ()
    event = Event(Effect.STEP, call, frame, targets=targets, scaler=scaler)
    event.everything = target is None
    if len(call.args) > 1 or keyword(call, "closure") is not None:
        return [Event(Effect.UNKNOWN, call, frame, targets, everything=True), event]
    return [event]


def _defined_in(call: ast.Call, frame: Frame, resolver: Resolver) -> Frame | None:
    """Return the frame whose names a closure sees, if a helper made it."""
    given = argument(call, 0, "closure")
    value = resolver.value(given, frame) if given is not None else None
    nested = value is not None and isinstance(value.target, Function) and not value.target.owner
    return value.frame if value is not None and nested else None


def _closure(call: ast.Call, frame: Frame, resolver: Resolver) -> Function | None:
    given = argument(call, 0, "closure")
    value = resolver.value(given, frame) if given is not None else None
    if value is not None and isinstance(value.target, Function):
        return value.target
    found = resolver.definition(given, frame) if given is not None else None
    return found if isinstance(found, Function) else None


def _zero(
    call: ast.Call, func: ast.Attribute, frame: Frame, resolver: Resolver
) -> list[Event] | None:
    value = _own(func, frame, resolver)
    if value is None:
        return None
    event = Event(Effect.CLEAR, call, frame)
    event.keeps_zeros = _keeps_zeros(call)
    if value.kind in (Kind.OPTIMIZER, Kind.OPTIMIZERS):
        event.targets = (value,)
        return [event]
    if value.kind is Kind.PARAMETER:
        event.atoms = parameters.of_parts(resolver, value)
    elif value.parts:
        event.atoms = frozenset(part.key for part in value.parts)
    else:
        event.atoms = parameters.within(resolver, value)
    event.everything = event.atoms is None
    return [event]


def _keeps_zeros(call: ast.Call) -> bool | None:
    given = argument(call, 0, "set_to_none")
    if given is None:
        return False
    return None if not isinstance(given, ast.Constant) else not given.value


def _update(
    call: ast.Call, func: ast.Attribute, frame: Frame, resolver: Resolver
) -> list[Event] | None:
    value = _own(func, frame, resolver)
    if value is None or value.kind is not Kind.SCALER:
        return None
    return [Event(Effect.UPDATE, call, frame, targets=(value,), scaler=value)]


def _unscale(
    call: ast.Call, func: ast.Attribute, frame: Frame, resolver: Resolver
) -> list[Event] | None:
    value = _own(func, frame, resolver)
    if value is None:
        return None
    target = resolver.value(argument(call, 0, "optimizer"), frame)
    event = Event(Effect.UNSCALE, call, frame, scaler=value)
    event.targets = (target,) if target is not None else ()
    event.everything = target is None
    return [event]


def _clip(
    call: ast.Call, func: ast.Attribute, frame: Frame, resolver: Resolver
) -> list[Event] | None:
    row = _row(func, frame, resolver)
    if row is not None:
        return _by_row(row, call, frame, resolver)
    name = resolver.origin(func, frame) or ""
    if "utils" in name or name.startswith(("torch.", "nn.")):
        return [clip(call, argument(call, 0, "parameters"), frame, resolver)]
    value = _own(func, frame, resolver)
    if value is None:
        return None
    event = Event(Effect.CLIP, call, frame, atoms=parameters.within(resolver, value))
    event.everything = value.kind is not Kind.MODULE
    event.unscales = event.everything
    return [event]


def clip(call: ast.Call, given: ast.expr | None, frame: Frame, resolver: Resolver) -> Event:
    """Read a clip of the parameters that an expression yields."""
    event = Event(Effect.CLIP, call, frame)
    event.atoms = parameters.atoms(resolver, given, frame)
    if event.atoms is None and given is not None:
        value = resolver.value(given, frame)
        if value is not None and value.kind is Kind.PARAMETER:
            event.targets = tuple(part for part in value.parts if part.kind is Kind.OPTIMIZER)
    event.everything = event.atoms is None and not event.targets
    return event


def _row(func: ast.Attribute, frame: Frame, resolver: Resolver) -> Row | None:
    knowledge = resolver.project.knowledge
    if func.attr not in knowledge.rows:
        return None
    value = resolver.value(func.value, frame)
    maker = value.maker if value is not None else None
    if value is not None and value.target is not None:
        bases = (
            frames.outside_bases(value.target, resolver) if isinstance(value.target, Class) else []
        )
        found = (knowledge.find(func.attr, base, None) for base in bases)
        row = next((item for item in found if item), None)
        if row is not None:
            return row
    if maker is not None:
        return knowledge.find(func.attr, maker, None)
    return knowledge.find(func.attr, None, last_name(func.value))


def _by_row(row: Row, call: ast.Call, frame: Frame, resolver: Resolver) -> list[Event]:
    """Read the events that a knowledge table lists."""
    found = []
    for effect in row.effects:
        if effect is Effect.NOTHING:
            continue
        event = Event(effect, call, frame, divides=row.divides, unscales=row.unscales)
        _aim(event, row, call, resolver)
        if effect is Effect.DEPOSIT:
            event.loss = argument(call, 0, "loss")
            event.everything = False
        found.append(event)
        if is_constant(keyword(call, "zero_grad"), True):
            found.append(
                Event(Effect.CLEAR, call, frame, event.targets, event.atoms, event.everything)
            )
    return found


def _aim(event: Event, row: Row, call: ast.Call, resolver: Resolver) -> None:
    """Which accounts a row's event touches."""
    place = {On.FIRST: 0, On.SECOND: 1}.get(row.on)
    node = argument(call, place, "optimizer") if place is not None else None
    if row.on is On.RECEIVER and isinstance(call.func, ast.Attribute):
        node = call.func.value
    if node is None:
        event.everything = row.on in (On.ALL, On.FIRST, On.SECOND)
        return
    value = resolver.value(node, event.frame)
    if value is not None and value.kind in (Kind.OPTIMIZER, Kind.OPTIMIZERS, Kind.SCALER):
        event.targets = (value,)
        if value.kind is Kind.SCALER:
            event.scaler = value
        return
    event.atoms = parameters.atoms(resolver, node, event.frame)
    if value is not None and value.kind is Kind.MODULE and event.atoms is None:
        event.atoms = parameters.within(resolver, value)
    event.everything = event.atoms is None


def of_function(call: ast.Call, frame: Frame, resolver: Resolver) -> list[Event] | None:
    """Read a bare function: `clip_grad_norm_(...)`, `loss_scaler(loss, optimizer)`."""
    name = resolver.origin(call.func, frame)
    if name is None:
        return None
    last = name.rpartition(".")[2]
    if last in ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "clip_grad_value"):
        return [clip(call, argument(call, 0, "parameters"), frame, resolver)]
    if last == "_foreach_zero_":
        event = clip(call, argument(call, 0), frame, resolver)
        event.effect, event.keeps_zeros = Effect.CLEAR, True
        return [event]
    value = resolver.value(call.func, frame)
    if (value is not None and value.kind is Kind.SCALER) or last.endswith("loss_scaler"):
        return _loss_scaler(call, frame, resolver)
    row = resolver.project.knowledge.find(last, name.rpartition(".")[0] or None, None)
    return _by_row(row, call, frame, resolver) if row is not None and "." in name else None


def _loss_scaler(call: ast.Call, frame: Frame, resolver: Resolver) -> list[Event] | None:
    """`loss_scaler(loss, optimizer, need_update=c)`: deposit and, under `c`, the step."""
    optimizer = resolver.value(argument(call, 1, "optimizer"), frame)
    if optimizer is None or optimizer.kind is not Kind.OPTIMIZER:
        return None
    deposit = Event(Effect.DEPOSIT, call, frame, loss=argument(call, 0, "loss"))
    step = Event(Effect.STEP, call, frame, targets=(optimizer,))
    step.gate = keyword(call, "need_update") or keyword(call, "update_grad")
    return [deposit, step]


HANDLERS = {
    "backward": _backward,
    "step": _step,
    "zero_grad": _zero,
    "update": _update,
    "unscale_": _unscale,
    "clip_grad_norm_": _clip,
    "clip_grad_value_": _clip,
    "clip_grad_norm": _clip,
}
