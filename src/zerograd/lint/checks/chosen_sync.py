"""ZG501 where a test chooses `no_sync`: it must be false where a window closes.

Both tests, the context's and the step's, are small arithmetic on a loop's index and the window's
length. Windows are counted for a few lengths, and the context's test is asked at each deposit:
whatever way they are written, the fault is that the last deposit of every window is not shared.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import ranks
from zerograd.lifecycle.verdicts.verdict import Unknown, no
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, spot
from zerograd.lint.checks.evidence.counted_windows import counted
from zerograd.lint.checks.evidence.windows import AbstractWindow, windows
from zerograd.lint.events.event import Enclosing, EnclosingKind
from zerograd.lint.program.syntax import last_name, text, walk
from zerograd.lint.values import parameter_sets
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict
    from zerograd.lint.values.value import CallFrame


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
            choice = _choice(item, window.loop)
            if choice is None or is_anothers(case, window.at, choice.way, item.frame):
                continue
            verdict = ranks.closing_alone(
                closes_window=True,
                synced=no(_closes_unsynced(case, window, choice, item.frame)),
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


def _closes_unsynced(case: Case, window: AbstractWindow, choice: Choice, frame: CallFrame) -> Fact:
    """Tell whether `no_sync` is chosen for the last deposit of every window that was counted."""
    answers = [
        item.answers[-1][0]
        for run in counted(case, window, ((choice.test, frame),))
        for item in run.filled
    ]
    if not answers or None in answers:
        return Unknown("choice-computed")
    return all(bool(answer) is choice.unsynced for answer in answers)


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
