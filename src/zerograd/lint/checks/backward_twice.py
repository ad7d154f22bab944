"""ZG603: one loss deposited twice before the step that spends it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import graph
from zerograd.lint.checks.evidence.case import Case, Draft, loops_around, spot
from zerograd.lint.program.scope import BindingKind, with_tests
from zerograd.lint.program.syntax import text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.apply_event import Observation

NUMBERS = frozenset({"item", "detach", "float", "tolist", "numpy", "data", "cpu"})


def check(case: Case) -> Iterator[Draft]:
    """Look at what lies in the accounts at every step."""
    for seen in case.steps():
        # Written gradients may have been made of the first deposit (PCGrad keeps a copy).
        verdict = graph.backward_twice(deposited_again=True, written=seen.account.written)
        if verdict is not None:
            yield from _twice(verdict, case, seen)
            yield from _grown(verdict, case, seen)


def _twice(verdict: Verdict, case: Case, seen: Observation) -> Iterator[Draft]:
    fresh = seen.account.fresh
    for place, item in enumerate(fresh[1:], 1):
        second = case.event(item.source)
        if not loops_around(second) and not case.repeated:
            # Outside any loop it shows how gradients add up; nothing is trained.
            continue
        for earlier in fresh[:place]:
            first = case.event(earlier.source)
            if earlier.rival < 0 and first.retains and _holds_again(first, second):
                message = f"`{text(second.node)}` deposits what `{text(first.node)}` already did"
                yield _draft(verdict, second, message, first, seen.at)


def _grown(verdict: Verdict, case: Case, seen: Observation) -> Iterator[Draft]:
    """`loss = loss + term; loss.backward(retain_graph=True)`: every round holds all before it."""
    for item in seen.account.fresh:
        made = case.event(item.source)
        if not (item.many and made.retains and item.rival < 0 and isinstance(made.loss, ast.Name)):
            continue
        if _adds_to_itself(made, made.loss.id):
            name = made.loss.id
            message = f"`{text(made.node)}` deposits all of `{name}` again in every round"
            yield _draft(verdict, made, message, made, seen.at)


def _draft(
    verdict: Verdict, second: SourceEvent, message: str, first: SourceEvent, at: int
) -> Draft:
    return Draft(
        verdict,
        spot(second),
        message,
        "deposit each loss once",
        [("deposited here first", spot(first))] if first is not second else [],
        (second, first),
        at,
    )


def _adds_to_itself(made: SourceEvent, name: str) -> bool:
    """Tell whether all that the innermost loop does to a loss is to add to it."""
    loops = loops_around(made)
    if not loops:
        # The next call of a function begins with another `loss`.
        return False
    loop = loops[-1]
    first, last = getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0)
    found = [
        item
        for item in made.frame.function.scope.bindings.get(name, ())
        if first <= item.node.lineno <= last
    ]
    return bool(found) and all(
        item.value is not None
        and not item.index
        and not item.under
        and (item.how is BindingKind.CHANGED or _is_sum_with(item.value, name))
        for item in found
    )


def _is_sum_with(value: ast.expr, name: str) -> bool:
    return (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Add)
        and any(
            isinstance(side, ast.Name) and side.id == name for side in (value.left, value.right)
        )
    )


def _holds_again(first: SourceEvent, second: SourceEvent) -> bool:
    """Tell whether the second loss holds the first, not computed anew between them."""
    if not isinstance(first.loss, ast.Name):
        return False
    if first.frame.caller is second.frame:
        return _is_handed_back(first, second)
    if first.frame is not second.frame:
        return False
    name = first.loss.id
    lines = sorted((getattr(first.node, "lineno", 0), getattr(second.node, "lineno", 0)))
    found = first.frame.function.scope.bindings.get(name, [])
    if any(lines[0] < item.node.lineno < lines[1] for item in found):
        return False
    loss = second.loss
    if isinstance(loss, ast.Name) and loss.id != name:
        values = [
            item.value
            for item in first.frame.function.scope.bindings.get(loss.id, [])
            if item.how is BindingKind.ASSIGNED and item.value is not None
        ]
        loss = values[0] if len(values) == 1 else None
    return (
        loss is not None
        and any(isinstance(node, ast.Name) and node.id == name for node in walk(loss))
        and not any(isinstance(node, ast.Attribute) and node.attr in NUMBERS for node in walk(loss))
    )


def _is_handed_back(first: SourceEvent, second: SourceEvent) -> bool:
    """Tell whether a helper deposited the loss that it returns: `loss = self.loss(x)`."""
    if not isinstance(second.loss, ast.Name) or not isinstance(first.loss, ast.Name):
        return False
    found = second.frame.function.scope.bindings.get(second.loss.id, ())
    if len(found) != 1 or found[0].index or found[0].value is not first.frame.call:
        return False
    name, helper = first.loss.id, first.frame.function
    returned = [
        stmt.value
        for stmt, _ in with_tests(getattr(helper.node, "body", []))
        if isinstance(stmt, ast.Return)
    ]
    last = getattr(first.node, "lineno", 0)
    return (
        bool(returned)
        and all(isinstance(value, ast.Name) and value.id == name for value in returned)
        and all(item.node.lineno < last for item in helper.scope.bindings.get(name, ()))
    )
