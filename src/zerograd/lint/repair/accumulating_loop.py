"""Recognise a loop that accumulates over a fixed number of batches, and the items of its loss."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.syntax import last_name
from zerograd.lint.repair.unequal_micro_batches import LOSSES, SHAPES
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence

ELEMENTWISE = (
    *("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits"),
    *("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCEWithLogitsLoss"),
)
"""Means over every element of their targets."""

HARMLESS = frozenset({"ignore_index", "label_smoothing", "beta", "delta"})
"""Arguments with which each item still counts once: a class weight or a reduction does more."""

IGNORED = "-100"
"""What torch's own losses ignore unless they are told otherwise."""


@record(frozen=True)
class AccumulatingLoop:
    """A loop whose last statement steps at every so many batches."""

    body: Sequence[ast.stmt]
    closing: ast.If
    """Steps and clears."""

    deposit: ast.stmt
    loss: str
    length: str
    """Of a window, as the program spells it."""

    feed: ast.expr
    """What the batches come from."""

    division: ast.stmt | None
    """Divides the loss by the length, if that is a statement of its own."""


def accumulating(loop: ast.For) -> AccumulatingLoop | None:
    """Return how a loop accumulates, None if it does not or does it in another way."""
    closing = loop.body[-1]
    if not isinstance(closing, ast.If) or closing.orelse:
        return None
    found = _length(loop, closing.test)
    deposits = [one for one in loop.body if _deposited(one) is not None]
    if found is None or len(deposits) != 1:
        return None
    length, feed = found
    deposit, loss = deposits[0], _deposited(deposits[0])
    if isinstance(loss, ast.BinOp):
        over = _divided(loss)
        matches = over is not None and over[1] == length
        return (
            AccumulatingLoop(loop.body, closing, deposit, over[0], length, feed, None)
            if over is not None and matches
            else None
        )
    if not isinstance(loss, ast.Name):
        return None
    place = loop.body.index(deposit)
    division = loop.body[place - 1]
    # What was logged as a part of a mean would be logged whole.
    later = (node for one in loop.body[place + 1 :] for node in ast.walk(one))
    read = any(isinstance(node, ast.Name) and node.id == loss.id for node in later)
    if read or not _divides(division, loss.id, length):
        return None
    return AccumulatingLoop(loop.body, closing, deposit, loss.id, length, feed, division)


def items_of(loop: AccumulatingLoop, nodes: Sequence[ast.AST]) -> str | None:
    """Return an expression for the items that the loss is a mean over, None if it is not known."""
    made = [
        one
        for one in loop.body
        if isinstance(one, ast.Assign) and _names(one) == [loop.loss] and one is not loop.division
    ]
    match [one.value for one in made]:
        case [ast.BinOp(left=ast.Call(func=ast.Attribute(attr="sum")), op=ast.Div(), right=count)]:
            # `(losses * mask).sum() / mask.sum()`
            return f"int({ast.unparse(count)})" if _can_be_read_again(count) else None
        case [ast.Call(args=[_, target_of]) as call]:
            kind, options = _loss(call, nodes)
        case _:
            return None
    given = [*call.keywords, *options]
    unknown = kind is None or not _can_be_read_again(target_of)
    if unknown or any(item.arg not in HARMLESS for item in given):
        return None
    target = ast.unparse(target_of)
    if kind in ELEMENTWISE:
        return f"{target}.numel()"
    ignored = next((item.value for item in given if item.arg == "ignore_index"), None)
    number = IGNORED if ignored is None else ast.unparse(ignored)
    return f"int(({target} != {number}).sum())"


def _length(loop: ast.For, test: ast.expr) -> tuple[str, ast.expr] | None:
    """Return k of `(i + 1) % k == 0` and the loader, where `i` counts the batches of this loop."""
    match test:
        case ast.Compare(
            left=ast.BinOp(left=counted, op=ast.Mod(), right=length),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=0)],
        ):
            pass
        case _:
            return None
    match loop:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=index), _]),
            iter=ast.Call(func=ast.Name(id="enumerate"), args=[feed, *start], keywords=named),
        ):
            first = [*start, *(item.value for item in named)]
        case _:
            return None
    starts = ast.unparse(first[0]) if first else "0"
    spelled = {"0": (f"{index} + 1", f"1 + {index}"), "1": (index,)}.get(starts, ())
    is_length = isinstance(length, ast.Name | ast.Constant | ast.Attribute)
    counts = is_length and ast.unparse(counted) in spelled
    return (ast.unparse(length), feed) if counts else None


def _deposited(statement: ast.stmt) -> ast.expr | None:
    """Return the loss of a bare `loss.backward()`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=loss, attr="backward"))):
            bare = not statement.value.args and not statement.value.keywords  # type: ignore[attr-defined]
            return loss if bare else None
    return None


def _divided(node: ast.expr) -> tuple[str, str] | None:
    """Return loss and length of `loss / length`."""
    match node:
        case ast.BinOp(left=ast.Name(id=loss), op=ast.Div(), right=length):
            return loss, ast.unparse(length)
    return None


def _divides(statement: ast.stmt, loss: str, length: str) -> bool:
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Div(), value=value):
            return (name, ast.unparse(value)) == (loss, length)
        case ast.Assign(value=ast.BinOp() as value):
            return _names(statement) == [loss] and _divided(value) == (loss, length)
    return False


def _names(statement: ast.Assign) -> list[str]:
    return [target.id if isinstance(target, ast.Name) else "" for target in statement.targets]


def _loss(call: ast.Call, nodes: Sequence[ast.AST]) -> tuple[str | None, list[ast.keyword]]:
    """Return which loss of torch a call computes, and the options that it was made with."""
    kinds = (*LOSSES, *ELEMENTWISE)
    name = last_name(call.func)
    if name in kinds:
        return name, []
    made = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(call.func, ast.Name)
        and _names(node) == [call.func.id]
    ]
    match made:
        case [ast.Call(func=func, args=[], keywords=options)] if last_name(func) in kinds:
            return last_name(func), options
    return None, []


def _can_be_read_again(target: ast.expr) -> bool:
    """Whether a target can be computed once more: by names, shapes and slices alone."""
    calls = [node for node in ast.walk(target) if isinstance(node, ast.Call)]
    return all(last_name(call.func) in SHAPES for call in calls)
