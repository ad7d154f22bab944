"""What could repair a finding: one builder a rule, each a few lines moved or inserted."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.findings import Edit, Fix
from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import text
from zerograd.lint.repair.average_in_window import move_update
from zerograd.lint.repair.place import (
    after,
    before,
    only_statement,
    removed,
    replaced,
    statement_here,
)
from zerograd.lint.repair.scaling import unscale, update
from zerograd.lint.repair.unequal_micro_batches import weigh
from zerograd.rules import Repair, named_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zerograd.lint.checks.evidence.case import Case, Draft
    from zerograd.lint.program.source_file import Source

Offer = tuple[str, list[Edit]]


def candidates(draft: Draft, case: Case) -> tuple[Fix, ...]:
    """Repairs of a finding, the best first; each touches only the finding's own file."""
    build = BUILDERS.get(draft.rule)
    rule = named_rule(draft.rule)
    if build is None or rule.repair is Repair.DISPLAY or not draft.events:
        return ()
    source = draft.spot.module.source
    return tuple(
        Fix(rule.repair, message, tuple(sorted(edits)))
        for message, edits in build(draft, case, source)
    )


def _missing_zero(draft: Draft, case: Case, source: Source) -> Iterator[Offer]:
    """Before the first own deposit; for a window, after the step and its update."""
    made, step = draft.events[0], draft.events[1]
    holder = case.holder(draft.at)
    deposit, stepped = statement_here(made, draft), statement_here(step, draft)
    code = f"{holder.label}.zero_grad()"
    if holder.manual:
        if stepped is not None:
            base = _updated(step)
            if base is not None:
                yield (
                    f"clear `{base}.grad` after the update",
                    [after(stepped, f"{base}.grad = None", source)],
                )
        return
    same = made.frame is step.frame and not holder.summary and not _in_set_loop(step)
    if deposit is not None and same and not _is_window(made, step):
        yield f"insert `{code}` before the backward", [before(deposit, code, source)]
    if stepped is not None:
        last = _last_of_block(step, case, draft) or stepped
        yield f"insert `{code}` after the step", [after(last, code, source)]


def _updated(step: SourceEvent) -> str | None:
    """Return the tensor that an update by hand writes into."""
    node = step.node
    target: ast.expr | None = None
    if isinstance(node, ast.AugAssign):
        target = node.target
    elif isinstance(node, ast.Assign):
        target = node.targets[0]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        target = node.func.value
    if isinstance(target, ast.Attribute) and target.attr == "data":
        target = target.value
    return text(target) if target is not None else None


def _in_set_loop(step: SourceEvent) -> bool:
    """Tell whether the step names each of several optimizers by a loop's variable."""
    name = step.label
    found = step.frame.function.scope.bindings.get(name, [])
    return any(item.how.name == "ITERATED" for item in found)


def _is_window(made: SourceEvent, step: SourceEvent) -> bool:
    """Tell whether the step waits for a test or stands outside the deposit's loop."""
    own = [item.node for item in made.context if item.place is not EnclosingKind.CALL]
    other = [item.node for item in step.context if item.place is not EnclosingKind.CALL]
    return own != other and any(
        item.place in (EnclosingKind.THEN, EnclosingKind.OTHER, EnclosingKind.LOOP)
        for item in (*made.context, *step.context)
        if (item.node in own) != (item.node in other)
    )


def _last_of_block(step: SourceEvent, case: Case, draft: Draft) -> ast.stmt | None:
    """Return the scaler's update right behind the step, if there is one."""
    if step.scaler is None:
        return None
    for event in case.plan.events:
        if event.effect is CallEffect.UPDATE and event.context == step.context:
            return statement_here(event, draft)
    return None


def _closure(draft: Draft, case: Case, source: Source) -> Iterator[Offer]:
    """First thing in the closure."""
    step = draft.events[1]
    function = step.closure
    if (
        function is None
        or function.module is not draft.spot.module
        or isinstance(function.node, ast.Lambda | ast.Module)
    ):
        return
    body = function.node.body
    first = body[1] if ast.get_docstring(function.node) and len(body) > 1 else body[0]
    code = f"{case.holder(draft.at).label}.zero_grad()"
    yield f"insert `{code}` at the top of `{function.last_name}`", [before(first, code, source)]


def _move_before(draft: Draft, _: Case, source: Source) -> Iterator[Offer]:
    """Move the clear before the backward."""
    label = f"move `{text(draft.events[0].node)}` before the backward"
    yield from _moved(draft, source, label)


def _moved(draft: Draft, source: Source, label: str) -> Iterator[Offer]:
    """Move the first event's statement before the second's, when it holds nothing else."""
    event, target = draft.events[0], draft.events[1]
    moved, place = statement_here(event, draft), statement_here(target, draft)
    if (
        moved is None
        or place is None
        or not isinstance(moved, ast.Expr)
        or only_statement(moved, event)
        or event.frame is not target.frame
    ):
        return
    yield label, [removed(moved), before(place, text(event.node), source)]


def _move_after_step(draft: Draft, case: Case, source: Source) -> Iterator[Offer]:
    """Move the clear behind the step that closes the window."""
    clear, step = draft.events[0], draft.events[1]
    moved, stepped = statement_here(clear, draft), statement_here(step, draft)
    if (
        moved is None
        or stepped is None
        or not isinstance(moved, ast.Expr)
        or only_statement(moved, clear)
        or clear.frame is not step.frame
    ):
        return
    last = _last_of_block(step, case, draft) or stepped
    code = text(clear.node)
    yield f"move `{code}` after the step", [removed(moved), after(last, code, source)]


def _divide(draft: Draft, _: Case, source: Source) -> Iterator[Offer]:
    """Divide at the deposit and nowhere else: the loss itself is logged."""
    made = draft.events[0]
    loss = made.loss
    length = (draft.help or "").rpartition(" / ")[2].partition(")")[0]
    if (
        loss is None
        or not length
        or length == "several"
        or made.divides
        or statement_here(made, draft) is None
    ):
        return
    if isinstance(loss, ast.Call) and loss.args and text(loss.func).endswith(".scale"):
        inner = loss.args[0]
        yield f"divide by `{length}`", [replaced(inner, f"{_operand(inner)} / {length}", source)]
        return
    yield f"divide by `{length}`", [replaced(loss, f"({_operand(loss)} / {length})", source)]


def _operand(node: ast.expr) -> str:
    spelled = text(node)
    simple = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return spelled if simple else f"({spelled})"


def _clip_earlier(draft: Draft, _: Case, source: Source) -> Iterator[Offer]:
    """Move the clip before the step."""
    yield from _moved(draft, source, "move the clip before the step")


BUILDERS: dict[str, Callable[[Draft, Case, Source], Iterator[Offer]]] = {
    "missing-zero": _missing_zero,
    "zero-outside-closure": _closure,
    "zero-before-step": _move_before,
    "zero-inside-window": _move_after_step,
    "unnormalised-window": _divide,
    "clip-before-unscale": unscale,
    "scaler-not-updated": update,
    "clip-after-step": _clip_earlier,
    "unequal-micro-batches": weigh,
    "average-in-window": move_update,
}
