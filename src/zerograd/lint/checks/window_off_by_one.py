"""ZG205: a step where `i % k == 0` with `i` from 0, so that the first window holds one deposit."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import accumulation
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, loops_around, spot
from zerograd.lint.checks.evidence.windows import AbstractWindow, spelled_out, windows
from zerograd.lint.program.scope import How
from zerograd.lint.program.syntax import argument, dotted, is_constant, last_name, names_in, text

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(case: Case) -> Iterator[Draft]:
    """Windows whose test already holds in the first round."""
    for window in windows(case):
        index = _index(window)
        verdict = accumulation.window_off_by_one(
            by_modulo=window.test is not None,
            one_source=True,  # with a further source under the test it would be a cadence
            first_holds_one=index is not None,
            then_several=True,
        )
        if verdict is None or window.test is None:
            continue
        message = (
            f"`{text(window.test)}` holds in the first round: the first window has one deposit"
        )
        node = window.test if window.frame is window.step.frame else window.step.node
        yield Draft(
            verdict,
            Spot(node, window.frame.function.module),
            message,
            f"count from 1: `({index} + 1) % ...`",
            [("deposited at each round", spot(window.deposit)), ("spent here", spot(window.step))],
            (window.step, window.deposit),
            window.at,
        )


def counted_from_zero(loop: ast.For) -> str | None:
    """Return the loop's index, if it starts at 0."""
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


def _index(window: AbstractWindow) -> str | None:
    """Return the counter that is 0 when the window's test is first asked, and makes it hold."""
    test = spelled_out(window)
    if test is None or (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)):
        return None
    for part in test.values if isinstance(test, ast.BoolOp) else [test]:
        name = _counter(part)
        if name is None or _engines_own(part, window):
            continue
        if isinstance(window.loop, ast.For) and counted_from_zero(window.loop) == name:
            return name
        if _starts_at_zero(name, window) or _total_from_zero(name, window):
            return name
    return None


def _engines_own(test: ast.expr, window: AbstractWindow) -> bool:
    """Tell whether the length is DeepSpeed's: its engine counts, and `step()` does nothing."""
    names = names_in(test)
    return any(
        item.value is not None and "deepspeed" in text(item.value)
        for name in names
        for item in window.frame.function.scope.bindings.get(name, ())
    )


def _total_from_zero(name: str, window: AbstractWindow) -> bool:
    """`done = len(loader) * epoch + i`, with both counted from 0."""
    found = window.frame.function.scope.bindings.get(name, ())
    value = found[0].value if len(found) == 1 and found[0].how is How.ASSIGNED else None
    if not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add)):
        return False
    loops = [loop for loop in loops_around(window.deposit) if isinstance(loop, ast.For)]
    counters = {counted_from_zero(loop) for loop in loops} - {None}
    parts = [value.left, value.right]
    if not any(isinstance(part, ast.Name) and part.id in counters for part in parts):
        return False
    product = next((part for part in parts if isinstance(part, ast.BinOp)), None)
    return (
        product is not None
        and isinstance(product.op, ast.Mult)
        and any(last_name(side) in counters for side in (product.left, product.right))
    )


def _starts_at_zero(name: str, window: AbstractWindow) -> bool:
    """Tell whether a counter is set to 0 once and counted up behind the test."""
    function = window.frame.function
    found = list(function.scope.bindings.get(name, ()))
    if function.owner is not None and name.startswith(f"{function.self_name}."):
        attr = name.partition(".")[2]
        found = [item for _, items in function.owner.assignments(attr) for item in items]
    starts = [item for item in found if item.how is How.ASSIGNED]
    grows = [item for item in found if item.how is How.CHANGED]
    line = getattr(window.test, "lineno", 0)
    return (
        len(starts) == 1
        and is_constant(starts[0].value, 0)
        and len(grows) == 1
        and is_constant(grows[0].value, 1)
        and grows[0].node.lineno > line
    )


def _counter(node: ast.expr) -> str | None:
    """Return `i` of `i % k == 0` or `not i % k`, where `k` is not 1."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = ast.Compare(node.operand, [ast.Eq()], [ast.Constant(0)])
    if not (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and isinstance(node.ops[0], ast.Eq)
        and is_constant(node.comparators[0], 0)
        and isinstance(node.left, ast.BinOp)
        and isinstance(node.left.op, ast.Mod)
    ):
        return None
    return None if is_constant(node.left.right, 1) else dotted(node.left.left)
