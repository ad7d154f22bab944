"""ZG405 where a skipped step skips the scaler's update too.

    scaler.unscale_(optimizer)
    norm = clip_grad_norm_(model.parameters(), 1.0)
    if torch.isfinite(norm):
        scaler.step(optimizer)
        scaler.update()

Elsewhere numbers are taken to be finite: nobody trains on others. With a loss scaler they come, in
its first steps and after every growth of the scale, and the next `unscale_` raises: the last was
not followed by an update.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from zerograd.lifecycle.transitions import Call, Stage
from zerograd.lifecycle.verdicts import scaling
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, callers, loops_around, spot
from zerograd.lint.checks.evidence.optimizers import hidden
from zerograd.lint.interpret.known_answers import about_nan
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import has_word_in, is_constant, keyword, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import SourceEvent

Path = list[ast.stmt]


def check(case: Case) -> Iterator[Draft]:
    """Find an `unscale_` after which a test for finite numbers leaves step and update out."""
    for event in case.plan.events:
        if event.effect is not CallEffect.UNSCALE or not isinstance(event.node, ast.Call):
            continue
        called = event.node.func
        loops = loops_around(event)
        if not isinstance(called, ast.Attribute) or not loops:
            continue
        scaler = text(called.value)
        test = _skipping_test(loops[-1], event.node, scaler)
        if test is not None:
            yield from _drafts(case, event, scaler, test)


def _drafts(case: Case, event: SourceEvent, scaler: str, test: ast.expr) -> Iterator[Draft]:
    built = None if event.scaler is None else event.scaler.site
    enabled = None if built is None else keyword(built, "enabled")
    verdict, _ = scaling.scaler_call(
        Stage.STEPPED, Call.UNSCALE, enabled=not is_constant(enabled, False)
    )
    if verdict is None:
        return
    yield Draft(
        verdict.assuming({"no-hidden-update": not hidden(case)}),
        spot(event),
        f"`{text(event.node)}` is not followed by `{scaler}.update()` on every path",
        f"call `{scaler}.update()` also where the step is skipped",
        [("skipped by this test", Spot(test, event.frame.function.module)), *callers(event)],
        (event,),
    )


def _skipping_test(loop: ast.AST, node: ast.AST, scaler: str) -> ast.expr | None:
    """Return the test, if the numbers that are not finite lead past every use of the scaler."""
    levels = _following(getattr(loop, "body", []), node)
    for depth, following in enumerate(levels):
        for place, statement in enumerate(following):
            if not isinstance(statement, ast.If):
                continue
            fails = _fails(statement.test)
            if fails is None:
                continue
            skipped, regular = (
                (statement.body, statement.orelse) if fails else (statement.orelse, statement.body)
            )
            after = following[place + 1 :] + [one for more in levels[depth + 1 :] for one in more]
            if _ends(skipped, ast.Raise, ast.Return, ast.Break):
                return None
            skipped = skipped if _ends(skipped, ast.Continue) else skipped + after
            is_regular = _calls(regular + after, scaler) >= {"step", "update"}
            return statement.test if is_regular and not _mentions(skipped, scaler) else None
    return None


def _following(body: Path, node: ast.AST) -> list[Path]:
    """Return what comes after the statement of a call, innermost block first."""
    for place, statement in enumerate(body):
        if any(item is node for item in walk(statement)):
            inner = [
                level
                for part in ("body", "orelse", "finalbody")
                for level in _following(getattr(statement, part, []), node)
            ]
            return [*inner, body[place + 1 :]]
    return []


def _fails(test: ast.expr) -> bool | None:
    """Tell whether a test is true of numbers that are not finite; None if it asks for others."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        fails = _fails(test.operand)
        return None if fails is None else not fails
    if isinstance(test, ast.BoolOp):
        answers = {_fails(value) for value in test.values}
        return answers.pop() if len(answers) == 1 else None
    return not has_word_in(test, "finite") if about_nan(test) else None


def _ends(path: Path, *kinds: type[ast.stmt]) -> bool:
    return bool(path) and isinstance(path[-1], kinds)


def _calls(path: Path, scaler: str) -> set[str]:
    """Return which methods of the scaler are called on a path."""
    return {
        item.func.attr
        for statement in path
        for item in walk(statement)
        if isinstance(item, ast.Call)
        and isinstance(item.func, ast.Attribute)
        and text(item.func.value) == scaler
    }


def _mentions(path: Path, scaler: str) -> bool:
    """Tell whether something on a path may update the scaler.

    It calls it, or is given it, or can reach it: `self.skip()` for `self.scaler`, `skip()`.
    """
    holder = scaler.rpartition(".")[0]
    calls = [item for statement in path for item in walk(statement) if isinstance(item, ast.Call)]
    return bool(_calls(path, scaler)) or any(
        _reaches(call.func, holder)
        or any(text(given) == scaler for given in (*call.args, *(k.value for k in call.keywords)))
        for call in calls
    )


def _reaches(func: ast.expr, holder: str) -> bool:
    if isinstance(func, ast.Name):
        return not hasattr(builtins, func.id)
    return bool(holder) and isinstance(func, ast.Attribute) and text(func.value) == holder
