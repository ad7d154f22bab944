"""The terms of a deposited loss that have graphs of their own.

`loss = rec + beta * kl`, `loss = sum(losses.values())`, `loss, rec, kl = losses(x)`: once the loss
went backward, whatever keeps `rec` keeps a graph that is of no use any more.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.checks.evidence.case import Case, loops_around
from zerograd.lint.checks.evidence.graph_carriers import is_renewed
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.interpret.loss_receivers import SCALING, handed_on
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Function
from zerograd.lint.program.scope import returns
from zerograd.lint.program.syntax import dotted, last_name, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

SUMMING = SCALING | {"sum"}
"""Functions that return a loss times a number, or the sum of some."""


def terms_of(case: Case, event: SourceEvent, name: str) -> list[str]:
    """Return the addends of a loss that have graphs of their own: `loss = rec + beta * kl`."""
    function = event.frame.function
    around = [item.node for item in event.context if item.frame is event.frame]
    loops = [node for node in loops_around(event) if node in around]
    place = loops[-1] if loops else function.node
    first, last = getattr(place, "lineno", 0), getattr(place, "end_lineno", 0)
    made = [
        value
        for item in function.scope.bindings.get(name, ())
        if first <= item.node.lineno <= last and not item.index
        for side in _sides(item.value)
        if isinstance(value := _unwrapped(side), ast.BinOp | ast.Name)
    ]
    if not made and isinstance(value := _unwrapped(event.loss), ast.BinOp):
        made = [value]
    found = []
    for part in {node.id: node for value in made for node in _addends(value)}.values():
        asked = SourceEvent(CallEffect.DEPOSIT, part, event.frame, loss=part)
        reached = reach_of(asked, case.plan, case.resolver)
        if reached.surely and reached.stopped is None and part.id != name:
            found.append(part.id)
    return [*found, *_of_a_dict(event, name, place), *_returned_beside(case, event, name)]


def _returned_beside(case: Case, event: SourceEvent, name: str) -> Iterator[str]:
    """Yield the terms of a loss that a function returns with it: `loss, rec, kl = losses(x)`."""
    bound = event.frame.function.scope.bindings
    for made in bound.get(name, ()):
        call = made.value
        if not isinstance(call, ast.Call) or len(made.index) != 1:
            continue
        target = case.resolver.definition(call.func, event.frame)
        value = case.resolver.value(call.func, event.frame) if target is None else None
        target = target or (value.target if value is not None else None)
        returned = returns(target.node) if isinstance(target, Function) else []
        parts = getattr(returned[0], "elts", []) if len(returned) == 1 else []
        if not isinstance(target, Function) or len(parts) <= made.index[0]:
            continue
        terms = {
            part.id
            for item in target.scope.bindings.get(dotted(parts[made.index[0]]) or "", ())
            if isinstance(item.value, ast.BinOp)
            for part in _addends(item.value)
        }
        places = [(other, item) for other, found in bound.items() for item in found]
        for other, item in places:
            taken = item.value is call and len(item.index) == 1 and item.index[0] < len(parts)
            if taken and other != name and dotted(parts[item.index[0]]) in terms:
                yield other


def _of_a_dict(event: SourceEvent, name: str, place: ast.AST) -> Iterator[str]:
    """Yield what stands for a loss of `losses`, where `sum(losses.values())` is deposited."""
    bound = event.frame.function.scope.bindings
    made = [item.value for item in bound.get(name, ()) if item.value is not None]
    whole = {text(item) for value in made for item in dicts_in(value)}
    since = getattr(event.node, "lineno", 0)
    for node in walk(place) if whole else ():
        line = getattr(node, "lineno", 0)
        if any(is_renewed(one, event.frame, since, line) for one in whole):
            continue  # `losses = {key: loss.item() for ...}`
        if isinstance(node, ast.Subscript) and text(node.value) in whole:
            yield text(node)
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
            func = node.iter.func
            if isinstance(func, ast.Attribute) and text(func.value) in whole:
                target = node.target
                if func.attr == "items" and isinstance(target, ast.Tuple):
                    target = target.elts[-1]
                yield text(target)


def dicts_in(value: ast.expr) -> Iterator[ast.expr]:
    """`sum(losses.values())`, `sum(loss for loss in losses.values())`."""
    if not isinstance(value, ast.Call) or last_name(value.func) != "sum" or not value.args:
        return
    summed = value.args[0]
    if isinstance(summed, ast.GeneratorExp | ast.ListComp) and isinstance(summed.elt, ast.Name):
        summed = summed.generators[0].iter
    if isinstance(summed, ast.Call) and last_name(summed.func) == "values":
        assert isinstance(summed.func, ast.Attribute)
        yield summed.func.value


def _sides(value: ast.expr | None) -> list[ast.expr | None]:
    """`sum(losses) if isinstance(losses, tuple) else losses`: either is the loss."""
    return [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]


def _unwrapped(value: ast.expr | None) -> ast.expr | None:
    """Return the loss of `scaler.scale(loss)`, `amp.scale_loss(loss, optimizer)`, `loss.mean()`."""
    while isinstance(value, ast.Call):
        scaled = last_name(value.func) in SUMMING and value.args
        value = value.args[0] if scaled else handed_on(value)
    return value


def _addends(value: ast.expr) -> Iterator[ast.Name]:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub | ast.Mult):
        yield from _addends(value.left)
        yield from _addends(value.right)
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
        yield from _addends(value.left)
    elif isinstance(value, ast.Name):
        yield value
