"""ZG104: a step spends deposits that another optimizer's backward left behind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import clearing
from zerograd.lint.checks.evidence.case import Case, Draft, callers, loops_around, spot, unsaid
from zerograd.lint.checks.evidence.shared_assumptions import every_loss_followed
from zerograd.lint.checks.evidence.step_facts import older_rivals
from zerograd.lint.confidence import is_silent
from zerograd.lint.interpret.backward_reach import surely_reached
from zerograd.lint.program.module import Function
from zerograd.lint.program.syntax import last_name, names_in, text, walk
from zerograd.lint.values.parameter_sets import disjoint
from zerograd.source.names import words

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.facts import StepFacts
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.apply_event import Observation
    from zerograd.lint.program.module import Class

FREEZING = frozenset({"freeze", "freezing", "frozen", "requires", "trainable"})
"""Words of functions that keep a module from learning for a while."""


def judge(seen: Observation, case: Case, facts: StepFacts) -> Draft | None:
    """Find an older source that a rival has spent under a newer one of the account's own."""
    verdict = clearing.leaked_deposit(facts)
    if verdict is None:
        return None
    older, newest = older_rivals(seen)[0], seen.account.fresh[-1]
    left, rival = case.event(older.source), case.event(older.rival)
    if rival.node is seen.event.node:
        # One line, run again: what it leaves behind is its own, see ZG101.
        return None
    verdict = verdict.assuming(
        {
            "meant-to-learn": not _switched_off(left),
            "not-frozen": not _may_be_frozen(case, left),
            "loss-followed": every_loss_followed(case)
            or all(
                _surely_reaches(case, made, seen.at) for made in (left, case.event(newest.source))
            ),
        }
    )
    if is_silent(verdict):
        return unsaid(verdict, seen.event, seen.at)
    label = case.holder(seen.at).label
    message = (
        f"`{text(seen.event.node)}` also spends what `{text(left.node)}` deposited "
        f"for `{text(rival.node)}`"
    )
    evidence = [
        ("deposited here", spot(left)),
        ("spent here by the other optimizer", spot(rival)),
        (f"deposited for `{label}` here", spot(case.event(newest.source))),
        *callers(seen.event),
    ]
    return Draft(
        verdict,
        spot(seen.event),
        message,
        f"call `{label}.zero_grad()` before its own backward; if `{label}` should learn "
        "from both, allow it",
        evidence,
        (seen.event, left),
        seen.at,
    )


def _surely_reaches(case: Case, made: SourceEvent, at: int) -> bool:
    """Tell whether a deposit reaches an optimizer past all calls that were not read."""
    atoms = case.holder(at).atoms
    reached = surely_reached(made, case.plan, case.resolver)
    return atoms is not None and not disjoint(atoms, reached)


def _may_be_frozen(case: Case, left: SourceEvent) -> bool:
    """Tell whether a call beside the deposit may keep modules from learning.

    `set_requires_grad(critic, False)` by its name, where the function was not read; `switch(critic,
    False)` by its body, where the flag decides.
    """
    return any(
        isinstance(node, ast.Call)
        and (name := last_name(node.func)) is not None
        and name != "requires_grad_"
        and _may_freeze(name, case.resolver.definition(node.func, left.frame))
        for node in walk(left.frame.function.node)
    )


def _may_freeze(name: str, target: Function | Class | None) -> bool:
    if target is None:
        return not FREEZING.isdisjoint(words(name))
    return isinstance(target, Function) and any(map(_is_switch, walk(target.node)))


def _is_switch(node: ast.AST) -> bool:
    """`p.requires_grad_(flag)`, `p.requires_grad = flag`."""
    if isinstance(node, ast.Call) and last_name(node.func) == "requires_grad_":
        return any(not isinstance(item, ast.Constant) for item in node.args)
    return (
        isinstance(node, ast.Assign)
        and not isinstance(node.value, ast.Constant)
        and any(last_name(item) == "requires_grad" for item in node.targets)
    )


def _switched_off(left: SourceEvent) -> bool:
    """Tell whether the loop calls `eval()` on what computed the loss: it is not meant to learn."""
    loss = left.loss
    bindings = left.frame.function.scope.bindings
    used = names_in(loss) if loss is not None else set()
    for name in tuple(used):
        used |= {
            inner
            for item in bindings.get(name, ())
            if item.value is not None
            for inner in names_in(item.value)
        }
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "eval"
        and isinstance(node.value, ast.Name)
        and node.value.id in used
        for loop in loops_around(left)[-1:]
        for node in walk(loop)
    )
