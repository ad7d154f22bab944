"""What calls do to `.grad` by hand: clears, writes, updates, freezing, uses."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.assignments import maybe_update
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.events.tensors import (
    aimed,
    grads_in,
    has_grads,
    holder,
    is_zero,
    view_of_grad,
)
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.scope import with_tests
from zerograd.lint.program.syntax import argument, is_constant, kept, last_name, names_in
from zerograd.lint.values import parameter_sets
from zerograd.lint.values.value import CallFrame, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.values.resolver import Resolver

CLEARING = frozenset({"zero_"})
IN_PLACE = frozenset(
    {
        "mul_",
        "div_",
        "add_",
        "sub_",
        "copy_",
        "addcmul_",
        "addcdiv_",
        "fill_",
        "masked_fill_",
        "sign_",
        "normal_",
        "copy",
        "set_",
        "clamp",
        "lerp_",
    }
)
BOUNDS = frozenset({"clamp_", "clip_", "clamp_min_", "clamp_max_", "nan_to_num_"})
"""What limits each element and leaves old deposits where they are: no kind of decay."""

UPDATES = frozenset({"add_", "sub_", "copy_", "addcmul_", "addcdiv_", "mul_", "set_"})
CLAMPS = frozenset({"clamp_", "clip_"})
"""What a critic's weights are kept small with."""

WRITERS = frozenset({"memset", "memmove", "copyto", "from_dlpack"})
READERS = frozenset(
    {
        "print",
        "norm",
        "mean",
        "abs",
        "item",
        "max",
        "min",
        "sum",
        "log",
        "info",
        "add_scalar",
        "add_histogram",
        "debug",
        "append",
        "isnan",
        "isinf",
        "any",
        "all",
        "cpu",
        "numpy",
        "str",
        "format",
        "len",
        "tolist",
        "std",
        "view",
        "flatten",
        "size",
        "dim",
        "numel",
        "isfinite",
        "histc",
        "square",
        "pow",
    }
)


@kept
def mentions(call: ast.Call) -> bool:
    """Tell whether a call may be one of those below: by its own name, or by a `.grad` in it."""
    name = last_name(call.func) or ""
    return name == "setattr" or name.endswith("_") or name in WRITERS or has_grads(call)


def of_call(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """`p.grad.zero_()`, `p.data.add_(-lr * p.grad)`, `net.requires_grad_(False)`."""
    base = holder(func.value)
    if base is None and func.attr in ("zero_", "fill_") and grads_in(func.value):
        base = grads_in(func.value)[0]
    if base is None and func.attr.endswith("_"):
        base = view_of_grad(func.value, frame)
    if base is not None:
        return _on_grad(call, func, base, frame, resolver)
    if func.attr == "requires_grad_":
        given = argument(call, 0, "requires_grad")
        flag = given if given is not None else ast.Constant(True)
        value = resolver.value(func.value, frame)
        if value is not None and value.kind in (
            ValueKind.MODULE,
            ValueKind.OTHER,
            ValueKind.PARAMETER,
        ):
            return _frozen_call(call, func.value, flag, frame, resolver)
        return []
    handled = _on_parameter(call, func, frame, resolver)
    if handled is not None:
        return handled
    if func.attr == "zero_" and isinstance(func.value, ast.Name):
        return _buffer(call, func.value.id, frame, resolver)
    return _uses(call, func, frame)


def _on_parameter(
    call: ast.Call, func: ast.Attribute, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """`p.data.add_(-lr * p.grad)`, `p.copy_(other)`, `p.clamp_(-c, c)`."""
    if func.attr in UPDATES:
        target = func.value
        if isinstance(target, ast.Attribute) and target.attr == "data":
            target = target.value
        updated = maybe_update(call, target, call, frame, resolver)
        if updated is not None:
            return updated
        value = resolver.value(target, frame)
        if value is not None and value.kind in (ValueKind.PARAMETER, ValueKind.LEAF):
            # A write into a parameter between a deposit and its clear makes use of the deposit.
            return [aimed(SourceEvent(CallEffect.USE, call, frame), target, resolver)]
    if func.attr in CLAMPS:
        value = resolver.value(func.value, frame)
        if value is not None and value.kind in (ValueKind.PARAMETER, ValueKind.LEAF):
            return [aimed(SourceEvent(CallEffect.USE, call, frame), func.value, resolver)]
    return None


def _buffer(
    call: ast.Call, name: str, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """`flat.zero_()` where gradients were made views of `flat`."""
    home: CallFrame | None = frame
    while home is not None:
        for stmt, _ in with_tests(getattr(home.function.node, "body", [])):
            if not isinstance(stmt, ast.Assign) or name not in _behind(stmt.value, home):
                continue
            base = holder(stmt.targets[0])
            if base is not None:
                event = SourceEvent(CallEffect.CLEAR, call, home, keeps_zeros=True)
                return [aimed(event, base, resolver)]
        home = home.outer
    return None


def _behind(node: ast.expr, home: CallFrame) -> set[str]:
    """Return the names that an expression is made from, two assignments back."""
    names = names_in(node)
    for _ in range(2):
        names |= {
            name
            for known in names
            for binding in home.function.scope.bindings.get(known, ())
            if binding.value is not None
            for name in names_in(binding.value)
        }
    return names


def _values(call: ast.Call) -> list[ast.expr]:
    return [item.value for item in call.keywords]


def _frozen_call(
    call: ast.Call, base: ast.expr, flag: ast.expr, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent]:
    given = flag.value if isinstance(flag, ast.Constant) else None
    value = resolver.value(flag, frame) if given is None else None
    known = given if given is not None else getattr(value, "constant", None)
    event = aimed(SourceEvent(CallEffect.FREEZE, call, frame), base, resolver)
    named = resolver.value(base, frame) if event.everything else None
    if named is not None and named.key:
        # `net = torchvision.models.resnet18()`: whatever it is, `net.parameters()` are its own.
        event.atoms = parameter_sets.within(resolver, named)
        event.everything = event.atoms is None
    if known is None:
        event.effect = CallEffect.UNKNOWN
        return [event] if event.atoms else []
    event.freezes = not known
    return [event]


def _on_grad(
    call: ast.Call, func: ast.Attribute, base: ast.expr, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent]:
    zero = func.attr in CLEARING or (
        func.attr in ("fill_", "mul_") and is_constant(argument(call, 0), 0, 0.0)
    )
    if func.attr in ("copy_", "set_") and call.args and is_zero(call.args[0]):
        zero = True
    if zero:
        return [aimed(SourceEvent(CallEffect.CLEAR, call, frame, keeps_zeros=True), base, resolver)]
    if func.attr in CLAMPS:
        return [aimed(SourceEvent(CallEffect.CLIP, call, frame), base, resolver)]
    if func.attr in BOUNDS:
        return [aimed(SourceEvent(CallEffect.USE, call, frame), base, resolver)]
    if func.attr in IN_PLACE:
        return [aimed(SourceEvent(CallEffect.WRITE, call, frame, keeps_zeros=True), base, resolver)]
    if func.attr in ("clone", "detach", "copy"):
        return [aimed(SourceEvent(CallEffect.USE, call, frame), base, resolver)]
    return []


def _uses(call: ast.Call, func: ast.Attribute, frame: CallFrame) -> list[SourceEvent] | None:
    """Read a gradient handed to a call that does more than look at it."""
    if func.attr in READERS and func.attr != "append":
        return None
    direct = [item for item in [*call.args, *_values(call)] if holder(item) is not None]
    if not direct:
        return None
    return [SourceEvent(CallEffect.USE, call, frame, everything=True, manual=True)]


def of_function(
    call: ast.Call, name: str, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Read functions on gradients or parameters: `torch.zero_(p.grad)`, `_foreach_add_(ps, v)`."""
    if name == "setattr" and len(call.args) == 3 and is_constant(call.args[1], "grad"):
        zero = is_zero(call.args[2])
        event = SourceEvent(CallEffect.CLEAR if zero else CallEffect.WRITE, call, frame)
        event.keeps_zeros = not is_constant(call.args[2], None)
        return [aimed(event, call.args[0], resolver)]
    if name.endswith("_") or name in WRITERS or _writes_out(call):
        found = [base for item in [*call.args, *_values(call)] for base in grads_in(item)]
        if found and name in ("zero_", "_foreach_zero_"):
            event = SourceEvent(CallEffect.CLEAR, call, frame, keeps_zeros=True)
            return [aimed(event, found[0], resolver)]
        if found:
            return [aimed(SourceEvent(CallEffect.UNKNOWN, call, frame), found[0], resolver)]
    if name.startswith("_foreach_") and name.endswith("_"):
        return [SourceEvent(CallEffect.USE, call, frame, everything=True, manual=True)]
    return None


def _writes_out(call: ast.Call) -> bool:
    return any(item.arg == "out" and grads_in(item.value) for item in call.keywords)
