"""What assignments and deletions do to `.grad`: clears, writes, updates by hand, freezing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import SourceEvent
from zerograd.lint.events.tensors import (
    aimed,
    grads_behind,
    grads_in,
    holder,
    is_zero,
)
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import is_constant, last_name, same, walk
from zerograd.lint.values.value import CallFrame, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.values.resolver import Resolver


def of_statement(node: ast.AST, frame: CallFrame, resolver: Resolver) -> list[SourceEvent]:
    """Read assignments and deletions."""
    if isinstance(node, ast.Assign):
        return [
            event
            for target in node.targets
            for event in _assigned(node, target, node.value, frame, resolver)
        ]
    if isinstance(node, ast.AugAssign):
        return _changed(node, frame, resolver)
    if isinstance(node, ast.Attribute):
        return _read(node, frame, resolver)
    if isinstance(node, ast.Delete):
        found = [base for target in node.targets if (base := holder(target)) is not None]
        return [
            aimed(SourceEvent(CallEffect.CLEAR, node, frame, keeps_zeros=False), base, resolver)
            for base in found
        ]
    return []


def _read(node: ast.Attribute, frame: CallFrame, resolver: Resolver) -> list[SourceEvent]:
    """`p.grad.norm`: whoever asks for an attribute of a gradient takes it for a tensor."""
    inner = node.value
    if not (isinstance(inner, ast.Attribute) and inner.attr == "grad"):
        return []
    return [aimed(SourceEvent(CallEffect.READ, node, frame, loss=inner), inner.value, resolver)]


def _reads(node: ast.AST, frame: CallFrame, resolver: Resolver) -> list[SourceEvent]:
    """Gradients that an update by hand computes with."""
    return [
        aimed(SourceEvent(CallEffect.READ, node, frame, loss=item), item.value, resolver)
        for item in walk(node)
        if isinstance(item, ast.Attribute)
        and item.attr == "grad"
        and isinstance(item.ctx, ast.Load)
    ]


def _assigned(
    stmt: ast.stmt, target: ast.expr, value: ast.expr, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent]:
    if isinstance(value, ast.Call) and last_name(value.func) == "optimizers":
        # Lightning hands out what was built long ago.
        return []
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        split = [ast.copy_location(ast.Assign([one], other), stmt) for one, other in pairs]
        return [
            event
            for part in split
            for event in _assigned(part, part.targets[0], part.value, frame, resolver)
        ]
    if isinstance(target, ast.Tuple):
        parts = [] if _is_handed_in(value, frame) else target.elts
        return [event for item in parts for event in _returned(stmt, item, frame, resolver)]
    base = holder(target.value if isinstance(target, ast.Subscript) else target)
    if base is None and isinstance(target, ast.Subscript) and grads_in(target.value):
        # `p.grad.numpy()[...] = 0` writes through a view.
        base = grads_in(target.value)[0]
    if base is not None:
        whole = not isinstance(target, ast.Subscript) or _is_whole(target.slice)
        effect = CallEffect.CLEAR if whole and is_zero(value) else CallEffect.WRITE
        event = SourceEvent(effect, stmt, frame, keeps_zeros=not is_constant(value, None))
        event.fills = bool(event.keeps_zeros)
        return [aimed(event, base, resolver)]
    if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
        return _frozen(stmt, target.value, value, frame, resolver)
    kept = _kept_leaf(target, frame, resolver)
    if kept is not None:
        updated = maybe_update(stmt, kept, value, frame, resolver) or []
        return [*_reads(value, frame, resolver), *updated]
    built = resolver.value(value, frame) if isinstance(value, ast.Call) else None
    if built is not None and built.kind is ValueKind.OPTIMIZER and built.site is not None:
        made = resolver.value(target, frame)
        return [SourceEvent(CallEffect.BUILD, stmt, frame, (made,))] if made is not None else []
    if isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
        return _rebound(stmt, target, value, frame, resolver)
    return []


def _kept_leaf(target: ast.expr, frame: CallFrame, resolver: Resolver) -> ast.expr | None:
    """`w` of `w.data = ...`, `w.data[:] = ...` and, where `w` is a leaf, of `w[...] = ...`."""
    inside = target.value if isinstance(target, ast.Subscript) and _is_whole(target.slice) else None
    changed = target if inside is None else inside
    if isinstance(changed, ast.Attribute) and changed.attr == "data":
        return changed.value
    value = resolver.value(inside, frame) if inside is not None else None
    return inside if value is not None and value.kind is ValueKind.LEAF else None


def _is_whole(index: ast.expr) -> bool:
    """`g[:]`, `g[...]`, `g[:, :]`: whether an index takes in every element."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(
        is_constant(item, ...)
        or (isinstance(item, ast.Slice) and not any(ast.iter_child_nodes(item)))
        for item in parts
    )


def _is_handed_in(value: ast.expr, frame: CallFrame) -> bool:
    """`opt_g, opt_d = optimizers`: whether what is unpacked was built before, and handed in."""
    given = frame.function.scope.parameters
    return isinstance(value, ast.Attribute) or (isinstance(value, ast.Name) and value.id in given)


def _returned(
    stmt: ast.stmt, target: ast.expr, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent]:
    """Read an optimizer among what a helper returns."""
    made = resolver.value(target, frame)
    if made is None or made.kind is not ValueKind.OPTIMIZER or made.site is None:
        return []
    return [SourceEvent(CallEffect.BUILD, stmt, frame, (made,))]


def _rebound(
    stmt: ast.stmt, target: ast.expr, value: ast.expr, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent]:
    """`w = w - lr * w.grad`: an update that replaces the leaf, see ZG309."""
    used = grads_in(value) if isinstance(value, ast.BinOp | ast.Call) else []
    if not used:
        return []
    if not any(same(item, target) for item in used):
        return []
    event = _update(stmt, target, frame, resolver)
    event.replaces = True
    return [event]


def _frozen(
    stmt: ast.stmt, base: ast.expr, value: ast.expr, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent]:
    event = aimed(SourceEvent(CallEffect.FREEZE, stmt, frame), base, resolver)
    given = resolver.value(value, frame)
    if given is None or given.kind is not ValueKind.CONSTANT:
        event.effect = CallEffect.UNKNOWN
        return [event] if event.atoms else []
    event.freezes = not given.constant
    return [event]


def _changed(node: ast.AugAssign, frame: CallFrame, resolver: Resolver) -> list[SourceEvent]:
    base = holder(node.target)
    if base is not None:
        clears = isinstance(node.op, ast.Mult) and is_constant(node.value, 0, 0.0)
        event = SourceEvent(
            CallEffect.CLEAR if clears else CallEffect.WRITE, node, frame, keeps_zeros=True
        )
        return [aimed(event, base, resolver)]
    target = node.target
    inner = target.value if isinstance(target, ast.Attribute) and target.attr == "data" else target
    updated = maybe_update(node, inner, node.value, frame, resolver)
    return [*_reads(node.value, frame, resolver), *updated] if updated is not None else []


def maybe_update(
    stmt: ast.AST, base: ast.expr, given: ast.AST, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent] | None:
    """Read a write into a parameter from its own gradient; other sums only use the gradient.

    By another name, `g = p.grad`, only a tensor's own gradient counts: buffers take them too.
    """
    if any(same(item, base) for item in grads_behind(given, frame)):
        return [_update(stmt, base, frame, resolver)]
    if not grads_in(given):
        return None
    value = resolver.value(base, frame)
    if value is not None and value.kind in (ValueKind.PARAMETER, ValueKind.LEAF):
        return [_update(stmt, base, frame, resolver)]
    return [SourceEvent(CallEffect.USE, stmt, frame, everything=True, manual=True)]


def _update(stmt: ast.AST, base: ast.expr, frame: CallFrame, resolver: Resolver) -> SourceEvent:
    return aimed(SourceEvent(CallEffect.STEP, stmt, frame), base, resolver)
