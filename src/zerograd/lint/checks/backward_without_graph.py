"""ZG601: a deposit on something without a graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.lint.checks.evidence.case import Case, Draft, callers, loops_around, spot
from zerograd.lint.checks.evidence.detached_values import DetachedValues
from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.interpret.origins import QUIET, turns_graphs_off
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import last_name, text
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(case: Case) -> Iterator[Draft]:
    """Look at the graph of every deposit."""
    for event in case.plan.events:
        if event.effect is CallEffect.DEPOSIT:
            yield from _without_graph(case, event)


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
            if turns_graphs_off(call):
                if event.loss is not None and _computed_inside(event, item.node):
                    return f"it was computed under `{name}`"
            elif name in QUIET:
                # `inference_mode(False)` lets graphs be recorded again, whatever is around it.
                return None
    return None


def _computed_inside(event: SourceEvent, block: ast.AST) -> bool:
    """Tell whether the loss got its value in a block."""
    loss = event.loss
    if not isinstance(loss, ast.Name):
        return True
    first, last = getattr(block, "lineno", 0), getattr(block, "end_lineno", 0)
    found = event.frame.function.scope.bindings.get(loss.id, [])
    return bool(found) and all(first <= item.node.lineno <= last for item in found)
