"""Repair of an average that advances at each micro-batch: its update moves behind the step."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.findings import Edit
from zerograd.lint.checks.evidence.case import tests_around
from zerograd.lint.checks.evidence.windows import AbstractWindow, windows
from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import last_name, nested, text, walk
from zerograd.lint.repair.place import (
    after,
    has_own_lines,
    indent_of,
    newline_of,
    removed,
    statement_here,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.checks.evidence.case import Case, Draft
    from zerograd.lint.program.source_file import Source

Offer = tuple[str, list[Edit]]


def move_update(draft: Draft, case: Case, source: Source) -> Iterator[Offer]:
    """Move the update behind the step, or under Accelerate's own test for the end of a window."""
    made, step = draft.events
    window = next(
        (item for item in windows(case) if item.deposit is made and item.step is step), None
    )
    update = _update(draft, window, source) if window is not None else None
    if window is None or update is None:
        return
    label = text(draft.spot.node)
    if window.gated:
        accelerator = _accelerator(window)
        if accelerator is not None:
            test = f"{accelerator}.sync_gradients"
            yield f"call `{label}` only if `{test}`", [_held_back(update, test, source)]
        return
    stepped = statement_here(step, draft)
    steps = case.touching(draft.at, CallEffect.STEP)
    if stepped is None or steps != [step] or made.frame is not step.frame or _is_chosen(window):
        return
    code = _dedented(update, source).replace("\n", newline_of(source) + indent_of(stepped, source))
    yield f"move `{label}` after the step", [removed(update), after(stepped, code, source)]


def _update(draft: Draft, window: AbstractWindow, source: Source) -> ast.stmt | None:
    """Return the statement that updates, with the test or context that holds nothing else."""
    block: list[ast.stmt] = getattr(window.loop, "body", [])
    while True:
        found = next((stmt for stmt in block if _holds(stmt, draft.spot.node)), None)
        if found is None or not has_own_lines(found, source):
            return None
        inner = nested(found)
        if not inner or len(inner) == 1:
            return found if len(block) > 1 else None
        block = inner


def _holds(stmt: ast.stmt, wanted: ast.AST) -> bool:
    return any(node is wanted for node in walk(stmt))


def _is_chosen(window: AbstractWindow) -> bool:
    """Tell whether the step waits for more than the end of its window: a finite loss, a flag."""
    own = [test for test, _ in tests_around(window.deposit)]
    further = [test for test, _ in tests_around(window.step) if test not in own]
    return any(getattr(test, "test", None) is not window.test for test in further)


def _accelerator(window: AbstractWindow) -> str | None:
    """Return the name of the object whose `accumulate()` the step stands in."""
    for item in window.step.context:
        for entry in getattr(item.node, "items", []) if item.place is EnclosingKind.WITH else []:
            call = entry.context_expr
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and last_name(call.func) == "accumulate"
            ):
                return text(call.func.value)
    return None


def _dedented(stmt: ast.stmt, source: Source) -> str:
    """Return a statement as it is written, its later lines relative to its own indentation."""
    indent = indent_of(stmt, source)
    lines = source.lines[stmt.lineno - 1 : stmt.end_lineno]
    return "\n".join(item.rstrip("\r\n").removeprefix(indent) for item in lines)


def _held_back(update: ast.stmt, test: str, source: Source) -> Edit:
    """Put a statement under a test."""
    indent, newline = indent_of(update, source), newline_of(source)
    lines = [f"if {test}:", *(f"    {line}" for line in _dedented(update, source).split("\n"))]
    gone = removed(update)
    code = "".join(f"{indent}{line}{newline}" for line in lines)
    return Edit(gone.line, gone.column, gone.end_line, gone.end_column, code)
