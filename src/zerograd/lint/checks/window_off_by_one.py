"""ZG205: a step where `i % k == 0` with `i` from 0, so that the first window holds one deposit."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle import Severity
from zerograd.lint.checks.case import Case, Draft, Spot, spot
from zerograd.lint.checks.windows import Window, windows
from zerograd.lint.names.scope import How
from zerograd.lint.syntax import argument, is_constant, last_name, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(case: Case) -> Iterator[Draft]:
    """Windows whose test already holds in the first round."""
    for window in windows(case):
        if window.test is None or not isinstance(window.loop, ast.For):
            continue
        index = counted_from_zero(window.loop)
        if index is None or not _holds_at_zero(window, index):
            continue
        message = (f"`{text(window.test)}` holds in the first round: "
                   "the first window has one deposit")
        node = window.test if window.frame is window.step.frame else window.step.node
        yield Draft("window-off-by-one", Spot(node, window.frame.function.module), message,
                    Severity.WARNING, f"count from 1: `({index} + 1) % ...`",
                    [("deposited at each round", spot(window.deposit)),
                     ("spent here", spot(window.step))],
                    (window.step, window.deposit), window.at)


def counted_from_zero(loop: ast.For) -> str | None:
    """The loop's index, if it starts at 0."""
    call = loop.iter
    target = loop.target
    while isinstance(call, ast.Call) and last_name(call.func) in ("tqdm", "trange", "track"):
        if last_name(call.func) == "trange":
            break
        if not call.args:
            return None
        call = call.args[0]
    if not isinstance(call, ast.Call):
        return None
    name = last_name(call.func)
    if name == "enumerate" and isinstance(target, ast.Tuple):
        start = argument(call, 1, "start")
        if start is not None and not is_constant(start, 0):
            return None
        target = target.elts[0]
    elif name not in ("range", "trange") or len(call.args) != 1:
        return None
    return target.id if isinstance(target, ast.Name) else None


def _holds_at_zero(window: Window, index: str) -> bool:
    """`i % k == 0` on the bare index, alone or with an alternative."""
    assert window.test is not None
    test = window.test
    if isinstance(test, ast.Name):
        found = [item for item in window.frame.function.scope.bindings.get(test.id, ())
                 if item.how is How.ASSIGNED]
        if len(found) == 1 and found[0].value is not None:
            test = found[0].value
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return False
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    return any(_plain(part, index) for part in parts) and not any(
        isinstance(item, ast.Constant) and item.value == 1
        for part in parts for item in walk(part) if isinstance(part, ast.Compare)
        and _plain(part, index))


def _plain(node: ast.expr, index: str) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = ast.Compare(node.operand, [ast.Eq()], [ast.Constant(0)])
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1
            and isinstance(node.ops[0], ast.Eq) and is_constant(node.comparators[0], 0)):
        return False
    left = node.left
    return (isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod)
            and isinstance(left.left, ast.Name) and left.left.id == index)
