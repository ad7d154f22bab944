"""ZG601: a deposit on something without a graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.graph import backward_without_graph
from zerograd.lint.checks.evidence.case import Case, Draft, callers, loops_around, spot
from zerograd.lint.checks.evidence.detached_values import DetachedValues
from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.interpret.origins import QUIET, turns_graphs_off
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import last_name, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(case: Case) -> Iterator[Draft]:
    """Look at the graph of every deposit."""
    for event in case.plan.events:
        if event.effect is CallEffect.DEPOSIT:
            yield from _without_graph(case, event)


def _without_graph(case: Case, event: SourceEvent) -> Iterator[Draft]:
    reason = _quiet_context(event)
    if reason is None and event.loss is not None and not _is_held(case, event.loss):
        loops = loops_around(event)
        lines = (loops[-1].lineno, loops[-1].end_lineno) if loops else (0, 0)  # type: ignore[attr-defined]  # loops have lines
        # `leaf.backward(gradient)` runs the leaf's hooks: nobody took it for a loss.
        handed = isinstance(event.node, ast.Call) and bool(event.node.args)
        values = DetachedValues(case.resolver, lines)
        reason = values.reason(event.loss, event.frame, leaves=not handed)
    verdict = backward_without_graph(no_graph=reason is not None, reached=False)
    if verdict is not None:
        message = f"`{text(event.node)}` has no graph to follow: {reason}"
        yield Draft(
            verdict,
            spot(event),
            message,
            "compute the loss with gradients on",
            callers(event),
            (event,),
        )


def _is_held(case: Case, loss: ast.expr) -> bool:
    """Tell whether an optimizer is given what is deposited: a leaf that is meant to be one."""
    name = text(loss)
    sites = [item.value.site for item in case.plan.holders if item.value is not None]
    return any(
        name == text(part)
        for site in sites
        if site is not None
        for given in (*site.args, *(item.value for item in site.keywords))
        for part in walk(given)
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
