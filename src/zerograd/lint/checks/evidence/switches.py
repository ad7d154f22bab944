"""Tests that switch an event on for whole windows: no micro-batch is told from another by them.

`if args.max_norm > 0: clip(...)` and `if epoch >= 5: clip(...)` clip at each micro-batch of a
window or at none. `if is_last: clip(...)` may be the end of a window under another name.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.knowledge import CallEffect
from zerograd.lint.knowledge.name_heuristics import WINDOW_WORDS
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import dotted, last_name, text, walk
from zerograd.lint.values.spelling import SETTINGS, STEADY_CALLS
from zerograd.record import record
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from zerograd.lint.events.event import Enclosing, SourceEvent
    from zerograd.lint.values.value import CallFrame

DEEP = 4
"""Calls through which an argument is followed."""

ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)

ENDS = ("sync", "boundary", "last", "step", "update", "due", "final")
"""Words of an attribute that may tell one micro-batch from another."""


@record(frozen=True, eq=False)
class WindowSpan:
    """Where the micro-batches of a window follow each other."""

    loop: ast.AST | None
    """The innermost loop around the deposit."""

    home: CallFrame
    """Whose loop it is."""

    tests: tuple[ast.expr, ...]
    """What the step waits for, as it is written and as it is meant."""


def is_own_switch(around: Enclosing, event: SourceEvent) -> bool:
    """`if max_norm is not None: clip(..., max_norm)`: what a call is made of switches it on."""
    test, call = getattr(around.node, "test", None), event.node
    if test is None or not isinstance(call, ast.Call):
        return False
    if event.effect is CallEffect.SCHEDULE and isinstance(call.func, ast.Attribute):
        return text(_asked(test)) == text(call.func.value)
    if event.effect is not CallEffect.CLIP:
        return False
    given = {text(item) for item in [*call.args[1:], *(item.value for item in call.keywords)]}
    # `if args.clip and args.clip > 0:`
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    return all(
        text(asked) in given or _asks_about_clipping(asked, around) for asked in map(_asked, parts)
    )


def _asked(test: ast.expr) -> ast.expr:
    return test.left if isinstance(test, ast.Compare) else test


def _asks_about_clipping(asked: ast.expr, around: Enclosing) -> bool:
    """`if args.clip:` around a helper, `if p.grad is not None:` in it; not `clip_now = i % k`."""
    if not isinstance(asked, ast.Name | ast.Attribute):
        return False
    bound = around.frame.function.scope.bindings.get(text(asked), ())
    if any(isinstance(item.value, ast.Compare | ast.BoolOp | ast.BinOp) for item in bound):
        return False
    return last_name(asked) == "grad" or has_word(last_name(asked) or "", ("clip",))


def lasts_for_windows(around: Enclosing, event: SourceEvent, span: WindowSpan) -> bool:
    """Tell whether a test around a clip answers alike for all micro-batches of a window.

    Not where it asks for the window's length: `if k == 1: clip(...)` is right.
    """
    test = getattr(around.node, "test", None)
    if test is None or event.effect not in (CallEffect.CLIP, CallEffect.UNSCALE):
        return False
    lengths = {_last(node) for asked in span.tests for node in _paths(asked)}
    if has_word(text(test), WINDOW_WORDS) or any(_last(node) in lengths for node in _paths(test)):
        return False
    return _is_steady(test, around.frame, span, 0)


def _paths(test: ast.expr) -> list[ast.expr]:
    return [node for node in walk(test) if isinstance(node, ast.Name | ast.Attribute)]


def _last(node: ast.expr) -> str:
    return last_name(node) or ""


def _is_steady(node: ast.expr, frame: CallFrame, span: WindowSpan, depth: int) -> bool:
    """Tell whether nothing that an expression reads changes between two micro-batches."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return _keeps_its_value(node, frame, span, depth)
    if isinstance(node, ast.Attribute | ast.Subscript):
        return _is_chosen(node, frame)
    if isinstance(node, ast.Call):
        parts = [*node.args, *(item.value for item in node.keywords)]
        if last_name(node.func) not in STEADY_CALLS:
            return False
    elif isinstance(node, ast.BoolOp):
        parts = node.values
    elif isinstance(node, ast.UnaryOp):
        parts = [node.operand]
    elif isinstance(node, ast.Compare):
        if _is_threshold(node, frame, span):
            return True
        parts = [node.left, *node.comparators]
    else:
        return False
    return all(_is_steady(part, frame, span, depth) for part in parts)


def _is_threshold(node: ast.Compare, frame: CallFrame, span: WindowSpan) -> bool:
    """`step < args.warmup`: whether a count that only grows is below what was chosen, or above."""
    limit = node.comparators[0]
    chosen = isinstance(limit, ast.Constant) or (
        isinstance(limit, ast.Attribute | ast.Subscript) and _is_chosen(limit, frame)
    )
    if not chosen or len(node.ops) != 1 or not isinstance(node.ops[0], ORDERED):
        return False
    if not isinstance(node.left, ast.Name) or frame is not span.home or span.loop is None:
        return False
    first, last = getattr(span.loop, "lineno", 0), getattr(span.loop, "end_lineno", 0)
    found = frame.function.scope.bindings.get(node.left.id, ())
    inside = [item.how for item in found if first <= item.node.lineno <= last]
    return bool(inside) and BindingKind.ASSIGNED not in inside


def _keeps_its_value(node: ast.Name, frame: CallFrame, span: WindowSpan, depth: int) -> bool:
    """Tell whether a name is given its value before the window's loop, by whoever calls."""
    scope = frame.function.scope
    found = scope.bindings.get(node.id, ())
    at_home = span.loop is not None and frame is span.home
    if found:
        first, last = getattr(span.loop, "lineno", 0), getattr(span.loop, "end_lineno", 0)
        made = (BindingKind.ASSIGNED, BindingKind.ITERATED)
        return at_home and all(
            item.how in made and not first <= item.node.lineno <= last for item in found
        )
    if node.id not in scope.parameters:
        return frame.function.name == "" or not _is_bound_again(node.id, frame)
    if at_home:
        return True
    given = frame.arguments.get(node.id)
    return given is not None and depth < DEEP and _is_steady(*given, span, depth + 1)


def _is_bound_again(name: str, frame: CallFrame) -> bool:
    """Tell whether a name of the module gets more than one value, or is unknown there."""
    body = frame.function.module.functions.get("")
    found = body.scope.bindings.get(name, ()) if body is not None else ()
    return len(found) != 1


def _is_chosen(node: ast.Attribute | ast.Subscript, frame: CallFrame) -> bool:
    """`args.clip`, `cfg["train"]["clip"]`, `self.max_norm`: a choice for the whole run."""
    path = dotted(node.value) or ""
    if isinstance(node, ast.Attribute) and has_word(node.attr, ENDS):
        return False
    if not SETTINGS.isdisjoint(path.lower().replace("[", ".").split(".")):
        return True
    owner = frame.function.owner
    if owner is None or path != frame.function.self_name or not isinstance(node, ast.Attribute):
        return False
    assigned = owner.assignments(node.attr)
    return bool(assigned) and all(method.last_name == "__init__" for method, _ in assigned)
