"""ZG601 and ZG602: a deposit without a graph, and graphs that are kept."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.graph import kept_graph
from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, callers, loops_around, spot
from zerograd.lint.checks.evidence.detached_values import DetachedValues
from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.interpret.origins import leaves_after, quiet_line
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.scope import How
from zerograd.lint.program.syntax import last_name, text, walk
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.program.module import Function
    from zerograd.lint.program.scope import Binding

QUIET = ("no_grad", "inference_mode")


def check(case: Case) -> Iterator[Draft]:
    """Look at the graph of every deposit."""
    for event in case.plan.events:
        if event.effect is CallEffect.DEPOSIT:
            yield from _without_graph(case, event)
            yield from _kept(case, event)


def _without_graph(case: Case, event: SourceEvent) -> Iterator[Draft]:
    reason = _quiet_context(event)
    if reason is None and event.loss is not None:
        loops = loops_around(event)
        lines = (loops[-1].lineno, loops[-1].end_lineno) if loops else (0, 0)  # type: ignore[attr-defined]  # loops have lines
        reason = DetachedValues(case.resolver, lines).reason(event.loss, event.frame)
    if reason is not None:
        message = f"`{text(event.node)}` has no graph to follow: {reason}"
        yield Draft(
            Verdict("backward-without-graph", Severity.ERROR),
            spot(event),
            message,
            "compute the loss with gradients on",
            callers(event),
            (event,),
        )


def _quiet_context(event: SourceEvent) -> str | None:
    for item in reversed(event.context):
        if item.place is not EnclosingKind.WITH:
            continue
        for entry in getattr(item.node, "items", []):
            call = entry.context_expr
            name = last_name(call.func if isinstance(call, ast.Call) else call)
            if name in ("enable_grad", "set_grad_enabled"):
                return None
            if name in QUIET and event.loss is not None and _computed_inside(event, item.node):
                return f"it was computed under `{name}`"
    return None


def _computed_inside(event: SourceEvent, block: ast.AST) -> bool:
    """Tell whether the loss got its value in a block."""
    loss = event.loss
    if not isinstance(loss, ast.Name):
        return True
    first, last = getattr(block, "lineno", 0), getattr(block, "end_lineno", 0)
    found = event.frame.function.scope.bindings.get(loss.id, [])
    return bool(found) and all(first <= item.node.lineno <= last for item in found)


def _kept(case: Case, event: SourceEvent) -> Iterator[Draft]:
    """`total += loss` in the loop of the deposit, or `self.total += loss` in its method."""
    loops = loops_around(event)
    if not isinstance(event.loss, ast.Name) or not loops or not steps_inside(case, loops[-1]):
        return
    name = event.loss.id
    function = event.frame.function
    repeated = loops[-1] if stands_in(event, loops[-1]) else function.node
    for node in walk(repeated):
        total = sums(node, name)
        if total is None or not (
            _outlives(total, event, loops)
            if repeated is loops[-1]
            else _is_kept_by_self(node, function)
        ):
            continue
        if _deposited(total, case) or is_another(event, node, name) or leaves_after(repeated, node):
            continue
        verdict = kept_graph(graphs_stay_alive=True)
        if verdict is None:
            continue
        message = f"`{text(node)}` keeps the graph of every `{name}` alive"
        yield Draft(
            verdict,
            Spot(node, event.frame.function.module),
            message,
            f"add a number: `{total} += {name}.item()`",
            [("deposited here", spot(event))],
            (event,),
        )


def sums(node: ast.AST, name: str) -> str | None:
    """Return the running total that a statement adds a loss to, with its graph."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return last_name(node.target) if carries(node.value, name) else None
    if (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.Add)
    ):
        total = text(node.targets[0])
        for one, other in (
            (node.value.left, node.value.right),
            (node.value.right, node.value.left),
        ):
            if carries(other, name) and any(text(item) == total for item in walk(one)):
                return last_name(node.targets[0])
    return None


def carries(node: ast.expr, name: str) -> bool:
    """Tell whether an expression is the loss itself, perhaps scaled, and not a number of it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        return carries(node.left, name) or carries(node.right, name)
    return isinstance(node, ast.Name) and node.id == name


def _outlives(total: str, event: SourceEvent, loops: list[ast.AST]) -> bool:
    """Tell whether the total starts as a number before the loop and is not set anew inside it."""
    found = event.frame.function.scope.bindings.get(total, [])
    plain = [item for item in found if item.how is How.ASSIGNED]
    first, last = getattr(loops[-1], "lineno", 0), getattr(loops[-1], "end_lineno", 0)
    starts = [
        item
        for item in plain
        if isinstance(item.value, ast.Constant | ast.Dict) and not first <= item.node.lineno <= last
    ]
    return bool(starts) and not is_reset(plain, loops[-1])


def is_reset(found: list[Binding], loop: ast.AST) -> bool:
    """Tell whether a loop sets a total anew: from something that is not the total itself."""
    first, last = getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0)
    return any(
        item.how is How.ASSIGNED
        and first <= item.node.lineno <= last
        and item.value is not None
        and item.target not in {text(part) for part in walk(item.value)}
        for item in found
    )


def stands_in(event: SourceEvent, loop: ast.AST) -> bool:
    """Tell whether a loop is the deposit's own function's, not a caller's."""
    return any(item.node is loop and item.frame is event.frame for item in event.context)


def _is_kept_by_self(node: ast.AST, method: Function) -> bool:
    """Tell whether a sum goes to an attribute that the object has from another method."""
    target = getattr(node, "target", None) or getattr(node, "targets", [None])[0]
    if method.owner is None or not isinstance(target, ast.Attribute):
        return False
    if text(target.value) != method.self_name:
        return False
    found = method.owner.assignments(target.attr)
    return any(other is not method for other, _ in found) and not any(
        binding.node is not node and binding.how is How.ASSIGNED
        for other, bindings in found
        if other is method
        for binding in bindings
    )


def is_another(event: SourceEvent, node: ast.AST, name: str) -> bool:
    """Tell whether the sum adds something else: bound anew since, or without a graph."""
    first, last = getattr(event.node, "lineno", 0), getattr(node, "lineno", 0)
    found = event.frame.function.scope.bindings.get(name, ())
    return quiet_line(last, event.frame) or any(first < item.node.lineno < last for item in found)


def steps_inside(case: Case, loop: ast.AST) -> bool:
    """Tell whether a loop holds a step: without one the sum lives for a window only."""
    return any(
        loop in loops_around(event)
        for event in case.plan.events
        if event.effect in (CallEffect.STEP, CallEffect.UNKNOWN)
    )


def _deposited(total: str, case: Case) -> bool:
    """Tell whether the total is differentiated itself, or turned into a number before it grows."""
    return any(
        "detach_" in event.frame.function.module.attributes(total)
        or (event.loss is not None and last_name(event.loss) == total)
        for event in case.plan.events
        if event.effect is CallEffect.DEPOSIT
    )
