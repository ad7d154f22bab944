"""ZG309 and ZG310: updates by hand that replace the leaf, or that autograd would track."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.lint.checks.evidence.case import Case, Draft, loops_around, spot
from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.events.gradients import CLAMPS
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import last_name, text, walk
from zerograd.lint.values.value import ValueKind
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

QUIET = ("no_grad", "inference_mode", "set_grad_enabled")


def check(case: Case) -> Iterator[Draft]:
    """Every update by hand in a root."""
    for event in case.plan.events:
        if event.effect is CallEffect.USE and event.must and _clamps(event):
            yield from _tracked(case, event)
        if event.effect is not CallEffect.STEP or not event.manual:
            continue
        if event.replaces:
            yield from _replaced(case, event)
        else:
            yield from _tracked(case, event)


def _clamps(event: SourceEvent) -> bool:
    """`p.clamp_(-c, c)` of a parameter that an optimizer trains, not of its `.data`."""
    func = event.node.func if isinstance(event.node, ast.Call) else None
    return event.manual and isinstance(func, ast.Attribute) and func.attr in CLAMPS


def _target(event: SourceEvent) -> ast.expr | None:
    node = event.node
    if isinstance(node, ast.Assign):
        return node.targets[0]
    if isinstance(node, ast.AugAssign):
        return node.target
    return (
        node.func.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else None
    )


def _is_leaf(case: Case, event: SourceEvent, target: ast.expr) -> bool:
    value = case.resolver.value(target, event.frame)
    return value is not None and value.kind in (ValueKind.LEAF, ValueKind.PARAMETER)


def _replaced(case: Case, event: SourceEvent) -> Iterator[Draft]:
    """`W = W - lr * W.grad` in a loop: the name is no longer the leaf that has the gradient."""
    target = _target(event)
    if not isinstance(target, ast.Name | ast.Subscript) or not loops_around(event):
        return
    assert isinstance(event.node, ast.Assign)
    name = text(target)
    if not _is_leaf(case, event, target) or _made_leaf(event, last_name(target) or name):
        return
    if not _is_computed_from(event.node.value, name):
        return
    message = f"`{name} = ...` makes a new tensor: from here on `{name}` is not the leaf any more"
    yield Draft(
        Verdict("leaf-replaced", Severity.ERROR),
        spot(event),
        message,
        f"update in place under `torch.no_grad()`: `{name} -= lr * {name}.grad`",
        [],
        (event,),
    )


def _is_computed_from(value: ast.expr, name: str) -> bool:
    """Tell whether a tensor is updated: `d = d.grad.clone()` takes the gradient for a new start."""
    whole = [text(node) for node in walk(value) if isinstance(node, ast.Name | ast.Subscript)]
    read = [
        text(node.value)
        for node in walk(value)
        if isinstance(node, ast.Attribute) and node.attr == "grad"
    ]
    return whole.count(name) > read.count(name)


def _made_leaf(event: SourceEvent, name: str) -> bool:
    """Tell whether the new tensor is made a leaf again, at once or later in the loop."""
    assert isinstance(event.node, ast.Assign)
    if any(
        (isinstance(node, ast.Attribute) and node.attr in ("requires_grad_", "Parameter"))
        or (isinstance(node, ast.keyword) and node.arg == "requires_grad")
        or (isinstance(node, ast.Name) and node.id in ("Parameter", "Variable"))
        for node in walk(event.node.value)
    ):
        return True
    for node in walk(loops_around(event)[-1]):
        if (
            isinstance(node, ast.Attribute)
            and node.attr in ("requires_grad", "requires_grad_")
            and last_name(node.value) == name
        ):
            return True
        if (
            isinstance(node, ast.Assign)
            and node is not event.node
            and any(last_name(item) == name for item in node.targets)
            and "requires_grad" in ast.dump(node.value)
        ):
            return True
    return False


def _tracked(case: Case, event: SourceEvent) -> Iterator[Draft]:
    """Find an in-place update of a leaf where autograd is on."""
    target = _target(event)
    if target is None or (isinstance(target, ast.Attribute) and target.attr == "data"):
        return
    value = case.resolver.value(target, event.frame)
    if value is None or value.kind not in (ValueKind.LEAF, ValueKind.PARAMETER) or _quiet(event):
        return
    if value.kind is ValueKind.PARAMETER and event.frame.call is None and event.frame.function.name:
        return
    message = f"`{text(event.node)}` changes a leaf in place while autograd is recording"
    yield Draft(
        Verdict("tracked-update", Severity.ERROR),
        spot(event),
        message,
        "put the update under `with torch.no_grad():`",
        [],
        (event,),
    )


def _quiet(event: SourceEvent) -> bool:
    for item in event.context:
        for entry in getattr(item.node, "items", []) if item.place is EnclosingKind.WITH else []:
            call = entry.context_expr
            if last_name(call.func if isinstance(call, ast.Call) else call) in QUIET:
                return True
    frame = event.frame
    while frame is not None:
        if any(name.rpartition(".")[2] in QUIET for name in frame.function.decorators):
            return True
        if frame.caller is None:
            break
        frame = frame.caller
    source = frame.function.module.source.text
    return "set_grad_enabled(False)" in source
