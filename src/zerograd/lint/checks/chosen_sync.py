"""ZG501 where a test chooses `no_sync`: the micro-batch that closes must not be the one.

Both tests, the context's and the step's, are small arithmetic on a loop's index and the window's
length. They are answered for a few lengths and many indices: whatever way they are written, the
fault is that wherever the step is due, `no_sync` is chosen.
"""

from __future__ import annotations

import ast
from itertools import product
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import ranks
from zerograd.lifecycle.verdicts.verdict import Unknown, no
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, spot
from zerograd.lint.checks.evidence.evaluated_tests import UnknownError, answer, asked
from zerograd.lint.checks.evidence.windows import AbstractWindow, windows
from zerograd.lint.events.event import Enclosing, EnclosingKind
from zerograd.lint.program.syntax import last_name, text, walk
from zerograd.lint.values import parameter_sets
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict
    from zerograd.lint.checks.evidence.evaluated_tests import Answer
    from zerograd.lint.values.value import CallFrame

LENGTHS = (2, 3, 4, 6)
INDICES = range(24)


@record(frozen=True)
class Choice:
    """`no_sync` on one side of a test."""

    test: ast.expr
    unsynced: bool
    """The answer that leads to `no_sync`."""

    way: ast.expr
    """What leads there: `model.no_sync`."""


def check(case: Case, reduced: Fact) -> Iterator[Draft]:
    """Windows whose step is due only where `no_sync` is chosen."""
    for window in windows(case):
        for item in window.deposit.context:
            choice = _choice(item, window.loop) if item.frame is window.step.frame else None
            if choice is None or is_anothers(case, window.at, choice.way, item.frame):
                continue
            verdict = ranks.closing_alone(
                closes_window=True,
                synced=no(_closes_unsynced(window, choice)),
                written=reduced,
                bypassed=False,
            )
            if verdict is not None:
                yield _draft(verdict, window, item)


def is_anothers(case: Case, at: int, way: ast.expr, frame: CallFrame) -> bool:
    """Tell whether it silences a wrapper of which this optimizer holds nothing: a critic's."""
    held = case.holder(at).atoms
    if held is None or not isinstance(way, ast.Attribute):
        return False
    wrapper = case.resolver.value(way.value, frame)
    return wrapper is not None and parameter_sets.disjoint(held, frozenset({wrapper.key}))


def _draft(verdict: Verdict, window: AbstractWindow, item: Enclosing) -> Draft:
    return Draft(
        verdict,
        Spot(_context(item), item.frame.function.module),
        f"`{text(window.deposit.node)}` closes the window under `no_sync`, which is chosen just "
        "where the step is due: the ranks never share these gradients",
        "choose `no_sync` for all but the last micro-batch of a window",
        [("deposited here", spot(window.deposit)), ("spent here", spot(window.step))],
    )


def _context(item: Enclosing) -> ast.AST:
    """Return what a `with` of one context enters."""
    entered: ast.AST = item.node.items[0].context_expr  # type: ignore[attr-defined]  # it is a `with`
    return entered


def _choice(item: Enclosing, loop: ast.AST | None) -> Choice | None:
    """Return the choice of `with model.no_sync() if test else nullcontext():`."""
    if (
        item.place is not EnclosingKind.WITH
        or len(getattr(item.node, "items", ())) != 1
        or loop is None
    ):
        return None
    chosen = _context(item)
    if isinstance(chosen, ast.Call) and not (chosen.args or chosen.keywords):
        chosen = chosen.func  # `with context():`
    if isinstance(chosen, ast.Name):
        chosen = _assigned(loop).get(chosen.id, chosen)
    if not isinstance(chosen, ast.IfExp):
        return None
    ways = [one.func if isinstance(one, ast.Call) else one for one in (chosen.body, chosen.orelse)]
    found = [last_name(way) == "no_sync" for way in ways]
    if found[0] is found[1]:
        return None
    return Choice(chosen.test, found[0], ways[found.index(True)])


def _closes_unsynced(window: AbstractWindow, choice: Choice) -> Fact:
    """Tell whether, wherever the step is due, `no_sync` is chosen."""
    due, loop = _due(window), window.loop
    if due is None or loop is None or _moves(loop, due, choice.test):
        return Unknown("choice-computed")
    known = _assigned(loop)
    try:
        cases = list(_cases(asked(due, known) | asked(choice.test, known), loop))
        closing = [case for case in cases if answer(due, case, known)]
        return bool(closing) and all(
            bool(answer(choice.test, case, known)) is choice.unsynced for case in closing
        )
    except UnknownError:
        return Unknown("choice-computed")


def _due(window: AbstractWindow) -> ast.expr | None:
    """Return the test that the step waits for; after a loop of its own, that it is at its end."""
    if window.gated:
        return None
    for item in window.step.context:
        if window.test is not None and getattr(item.node, "test", None) is window.test:
            return window.test if item.place is EnclosingKind.THEN else None
    loop = window.loop
    if window.test is not None or not isinstance(loop, ast.For):
        return None
    over = loop.iter
    if isinstance(over, ast.Call) and last_name(over.func) == "range" and len(over.args) == 1:
        return ast.Compare(
            ast.BinOp(loop.target, ast.Add(), ast.Constant(1)), [ast.Eq()], [over.args[0]]
        )
    return None


def _cases(names: set[str], loop: ast.AST) -> Iterator[dict[str, Answer]]:
    """Yield values for what the tests ask about: indices of the loop, lengths, or yes and no."""
    targets = {
        node.id for node in walk(getattr(loop, "target", loop)) if isinstance(node, ast.Name)
    }
    indices = sorted(names & targets)
    others = sorted(names - targets)
    if len(indices) > 1 or len(others) > 2:
        raise UnknownError
    lengths = product(LENGTHS if indices else (False, True), repeat=len(others))
    for values in lengths:
        for index in INDICES if indices else (0,):
            yield dict(zip(others, values, strict=True)) | dict.fromkeys(indices, index)


def _assigned(loop: ast.AST) -> dict[str, ast.expr]:
    """Return what a loop's body assigns to a name, of names that it assigns once."""
    stored = [
        node.id
        for node in walk(loop)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return {
        node.targets[0].id: node.value
        for node in walk(loop)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and stored.count(node.targets[0].id) == 1
    }


def _moves(loop: ast.AST, due: ast.expr, chosen: ast.expr) -> bool:
    """Tell whether something is counted on between the two places that ask."""
    begin, end = chosen.lineno, getattr(due, "lineno", None)
    counted = [node for node in walk(loop) if isinstance(node, ast.AugAssign)]
    names = {text(node) for node in walk(due) if isinstance(node, ast.Name | ast.Attribute)}
    return any(
        text(node.target) in names and (end is None or begin <= node.lineno <= end)
        for node in counted
    )
