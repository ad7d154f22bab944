"""Repairs of a Trainer's own loss: divide by `num_items_in_batch`, and by nothing else."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.findings import Edit, Fix
from zerograd.lint.checks.trainer_loss import ITEMS, STEPS
from zerograd.lint.program.module import statements
from zerograd.lint.program.syntax import is_constant, last_name, walk
from zerograd.lint.repair.place import after, has_own_lines, removed, replaced
from zerograd.rules import Repair

if TYPE_CHECKING:
    from zerograd.lint.checks.evidence.case import Draft
    from zerograd.lint.program.source_file import Source

LOSSES = ("cross_entropy", "CrossEntropyLoss")
"""The Trainer counts the labels that are not -100, and so do these."""

SUMMED = f'reduction="mean" if {ITEMS} is None else "sum"'
"""In an evaluation there is no window, and the Trainer hands over None."""


def trainer_fixes(draft: Draft) -> tuple[Fix, ...]:
    """Return the repair of a plain `compute_loss`, if it is one."""
    method, source = draft.spot.node, draft.spot.module.source
    if not isinstance(method, ast.FunctionDef):
        return ()
    used = any(isinstance(node, ast.Name) and node.id == ITEMS for node in walk(method))
    found = _divided_once(method, source) if used else _divided(method, source)
    return (Fix(Repair.UNSAFE, *found),) if found is not None else ()


def _divided(method: ast.FunctionDef, source: Source) -> tuple[str, tuple[Edit, ...]] | None:
    """Sum, and divide by the items of the step, where there is one plain cross entropy."""
    taken = ITEMS in {item.arg for item in (*method.args.args, *method.args.kwonlyargs)}
    calls = [
        node
        for node in walk(method)
        if isinstance(node, ast.Call) and last_name(node.func) in LOSSES
    ]
    if not taken or len(calls) != 1 or not _is_plain(calls[0]):
        return None
    told = _assigned(method, calls[0])
    if told is None or not has_own_lines(told[1], source):
        return None
    name, assigned = told
    code = f"if {ITEMS} is not None:\n    {name} = {name} / {ITEMS}"
    return f"sum, and divide by `{ITEMS}`", (
        _with_argument(calls[0], source),
        _below(assigned, code, source),
    )


def _is_plain(call: ast.Call) -> bool:
    """Tell whether a cross entropy is a mean over the labels that the Trainer counts."""
    positional = 0 if last_name(call.func) == "CrossEntropyLoss" else 2
    return len(call.args) <= positional and all(
        item.arg in ("input", "target", "label_smoothing")
        or (item.arg == "ignore_index" and _is_padding(item.value))
        for item in call.keywords
    )


def _is_padding(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and is_constant(node.operand, 100)


def _assigned(method: ast.FunctionDef, call: ast.Call) -> tuple[str, ast.Assign] | None:
    """Return the one name that the loss is given to, and where; a built criterion is followed."""
    wanted: ast.expr = call
    for _ in range(2):
        found = [
            stmt
            for stmt in statements(method.body)
            if isinstance(stmt, ast.Assign)
            and len(stmt.targets) == 1
            and isinstance(stmt.targets[0], ast.Name)
            and (stmt.value is wanted or getattr(stmt.value, "func", None) is wanted)
        ]
        if len(found) != 1:
            return None
        name = found[0].targets[0]
        assert isinstance(name, ast.Name)
        is_built = wanted is call and last_name(call.func) == "CrossEntropyLoss"
        if not is_built or found[0].value is not call:
            return (name.id, found[0]) if _is_bound_once(method, name.id) else None
        uses = [
            node.func
            for node in walk(method)
            if isinstance(node, ast.Call) and last_name(node.func) == name.id
        ]
        if len(uses) != 1:
            return None
        wanted = uses[0]
    return None


def _is_bound_once(method: ast.FunctionDef, name: str) -> bool:
    """Tell whether nothing else gives a value to a name: a second term is no cross entropy."""
    bound = (
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in walk(method)
    )
    return sum(bound) == 1


def _with_argument(call: ast.Call, source: Source) -> Edit:
    """Give a call one more keyword argument, whether or not the last one ends with a comma."""
    given: list[ast.expr] = [*call.args, *(item.value for item in call.keywords)]
    if not given:
        return _inserted(call, -1, SUMMED, source)
    last = max(given, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
    return _inserted(last, 0, f", {SUMMED}", source)


def _inserted(node: ast.expr, before_end: int, code: str, source: Source) -> Edit:
    line = node.end_lineno or node.lineno
    column = source.column(line, (node.end_col_offset or 0) + before_end)
    return Edit(line, column, line, column, code)


def _below(stmt: ast.stmt, code: str, source: Source) -> Edit:
    first, second = code.split("\n")
    edit = after(stmt, first, source)
    indent = edit.text[: len(edit.text) - len(edit.text.lstrip())]
    end = edit.text[len(edit.text.rstrip()) :]
    text = f"{edit.text}{indent}{second}{end}"
    return Edit(edit.line, edit.column, edit.end_line, edit.end_column, text)


def _divided_once(method: ast.FunctionDef, source: Source) -> tuple[str, tuple[Edit, ...]] | None:
    """Take the division by the accumulation steps away."""
    message = f"divide by `{ITEMS}` alone"
    for node in walk(method):
        if not isinstance(node, ast.BinOp | ast.AugAssign) or not isinstance(node.op, ast.Div):
            continue
        divisor = node.right if isinstance(node, ast.BinOp) else node.value
        if last_name(divisor) != STEPS:
            continue
        if isinstance(node, ast.BinOp):
            kept = ast.get_source_segment(source.text, node.left)
            return (message, (replaced(node, kept, source),)) if kept else None
        is_alone = any(getattr(block, "body", None) == [node] for block in walk(method))
        can_go = has_own_lines(node, source) and not is_alone
        return (message, (removed(node),)) if can_go else None
    return None
