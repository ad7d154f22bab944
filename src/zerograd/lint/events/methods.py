"""What the well-known methods and functions do: backward, step, zero_grad, clip, scale."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events import deposits, steps
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.events.receivers import by_row, own, row_of
from zerograd.lint.events.subclasses import MethodEffect, doing_of_zero_grad, own_method
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.event_words import METHODS
from zerograd.lint.program.syntax import argument
from zerograd.lint.values import parameter_sets
from zerograd.lint.values.value import CallFrame, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.values.resolver import Resolver


def may_name_event(name: str) -> bool:
    """Tell whether a method or function of this name may be an event by itself."""
    return name in METHODS or name.startswith("clip_grad") or "scaler" in name.lower()


def of_method(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Read the events of `receiver.name(...)`; None when the name says nothing."""
    handler = HANDLERS.get(func.attr)
    if handler is not None:
        return handler(call, func, frame, resolver)
    row = row_of(func, frame, resolver)
    return by_row(row, call, frame, resolver) if row is not None else None


def _zero(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    value = own(func, frame, resolver)
    if value is None:
        return _own_zero(call, func, frame, resolver)
    event = SourceEvent(CallEffect.CLEAR, call, frame)
    event.keeps_zeros = _keeps_zeros(call)
    if value.kind in (ValueKind.OPTIMIZER, ValueKind.OPTIMIZERS):
        event.targets = (value,)
        return [event]
    if value.kind is ValueKind.PARAMETER:
        event.atoms = parameter_sets.of_parts(resolver, value)
    elif value.parts:
        event.atoms = frozenset(part.key for part in value.parts)
    else:
        event.atoms = parameter_sets.within(resolver, value)
    event.everything = event.atoms is None
    return [event]


def _own_zero(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Read the `zero_grad` of an optimizer of the project's own; None if it is none."""
    value = resolver.value(func.value, frame)
    method = own_method(value, "zero_grad", resolver)
    if value is None or method is None:
        return None
    if doing_of_zero_grad(method, value, resolver) is MethodEffect.CLEARS:
        return [SourceEvent(CallEffect.CLEAR, call, frame, targets=(value,))]
    return [SourceEvent(CallEffect.UNKNOWN, call, frame, targets=(value,))]


def _keeps_zeros(call: ast.Call) -> bool | None:
    given = argument(call, 0, "set_to_none")
    if given is None:
        return False
    return None if not isinstance(given, ast.Constant) else not given.value


def _clip(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    row = row_of(func, frame, resolver)
    if row is not None:
        return by_row(row, call, frame, resolver)
    name = resolver.origin(func, frame) or ""
    if "utils" in name or name.startswith(("torch.", "nn.")):
        return [clip(call, argument(call, 0, "parameters"), frame, resolver)]
    value = own(func, frame, resolver)
    if value is None:
        return None
    event = SourceEvent(CallEffect.CLIP, call, frame, atoms=parameter_sets.within(resolver, value))
    event.everything = value.kind is not ValueKind.MODULE
    event.unscales = event.everything
    return [event]


def clip(
    call: ast.Call, given: ast.expr | None, frame: CallFrame, resolver: Resolver
) -> SourceEvent:
    """Read a clip of the parameters that an expression yields."""
    event = SourceEvent(CallEffect.CLIP, call, frame)
    event.atoms = parameter_sets.atoms(resolver, given, frame)
    if event.atoms is None and given is not None:
        value = resolver.value(given, frame)
        if value is not None and value.kind is ValueKind.PARAMETER:
            event.targets = tuple(part for part in value.parts if part.kind is ValueKind.OPTIMIZER)
    event.everything = event.atoms is None and not event.targets
    return event


def _toggle(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Lightning's `toggle_optimizer(o)` freezes what the other optimizers hold."""
    frozen = func.attr == "toggle_optimizer"
    value = resolver.value(argument(call, 0, "optimizer"), frame)
    event = SourceEvent(CallEffect.FREEZE, call, frame, freezes=frozen, others=True)
    if frozen and value is None:
        return []
    event.targets = (value,) if frozen and value is not None else ()
    return [event]


CLIP_FUNCTIONS = frozenset(
    {"clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "clip_grad_value"}
)
"""Functions that clip under torch's own names, whoever wrote them."""


def of_function(call: ast.Call, frame: CallFrame, resolver: Resolver) -> list[SourceEvent] | None:
    """Read a bare function: `clip_grad_norm_(...)`, `loss_scaler(loss, optimizer)`."""
    name = resolver.origin(call.func, frame)
    if name is None:
        return None
    last = name.rpartition(".")[2]
    if last in CLIP_FUNCTIONS:
        return [clip(call, argument(call, 0, "parameters"), frame, resolver)]
    if last == "_foreach_zero_":
        event = clip(call, argument(call, 0), frame, resolver)
        event.effect, event.keeps_zeros = CallEffect.CLEAR, True
        return [event]
    value = resolver.value(call.func, frame)
    if (value is not None and value.kind is ValueKind.SCALER) or last.endswith("loss_scaler"):
        return steps.by_loss_scaler(call, frame, resolver)
    row = resolver.project.knowledge.find(last, name.rpartition(".")[0] or None, None)
    return by_row(row, call, frame, resolver) if row is not None and "." in name else None


HANDLERS = {
    "backward": deposits.backward,
    "step": steps.step,
    "zero_grad": _zero,
    "update": steps.update,
    "unscale_": steps.unscale,
    "clip_grad_norm_": _clip,
    "clip_grad_value_": _clip,
    "clip_grad_norm": _clip,
    "toggle_optimizer": _toggle,
    "untoggle_optimizer": _toggle,
}
