"""ZG303 for what an object keeps: `self.opt_d` is built and cleared, and no method steps it.

A method may step what another one builds, so that the class is read as a whole, with the files that
import it: wherever the optimizer is handed to something, or asked for anything but its state,
nothing is said.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.spending import never_spent
from zerograd.lifecycle.verdicts.verdict import Unknown
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, loops_around, spot
from zerograd.lint.checks.evidence.optimizers import hidden
from zerograd.lint.checks.never_spent import LOOKING, is_harmless, is_switched_off
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import is_constant, walk
from zerograd.lint.values import call_frames, parameter_sets
from zerograd.lint.values.bound_names import of_instance
from zerograd.lint.values.value import ValueKind
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Fact
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.program.module import Class
    from zerograd.lint.values.value import Value

OPEN_BASES = frozenset({"ABC", "Module", "object"})
"""Bases from outside the project that step nothing."""

BY_NAME = ("getattr(self", "__dict__", "vars(")
"""Ways to an attribute that do not spell it."""


@record(frozen=True, eq=False)
class _Kept:
    attr: str
    value: Value
    site: ast.Call
    cls: Class


def check(case: Case) -> Iterator[Draft]:
    """Look at the classes whose methods deposit in a loop."""
    deposits = [
        event
        for event in case.plan.events
        if event.effect is CallEffect.DEPOSIT and loops_around(event)
    ]
    told: set[int] = set()
    for event in deposits:
        owner = event.frame.function.owner
        if owner is None or not _is_closed(case, owner):
            continue
        kept = list(_kept_by(case, owner, event))
        for item in kept:
            is_stepped = case.plan.index(item.value.key) is not None
            if not is_stepped and id(item.site) not in told and not _is_used(case, item):
                draft = _never_stepped(case, item, deposits, alone=len(kept) == 1)
                if draft is not None:
                    told.add(id(item.site))
                    yield draft


def _never_stepped(
    case: Case, item: _Kept, deposits: list[SourceEvent], *, alone: bool
) -> Draft | None:
    found = [(event, _deposits_in(case, item, event, alone=alone)) for event in deposits]
    event, deposited = next((one for one in found if one[1] is not False), found[0])
    verdict = never_spent(deposited=deposited, stepped=False, spent_otherwise=False)
    if verdict is None:
        return None
    label = f"self.{item.attr}"
    switched = is_switched_off(item.cls.module, label)
    return Draft(
        verdict.assuming({"nothing-hidden": not hidden(case), "not-switched-off": not switched}),
        Spot(item.site, item.cls.module),
        f"`{label}` is never stepped: its gradients are computed and not used",
        f"call `{label}.step()` after the backward",
        [("deposited here", spot(event))],
    )


def _deposits_in(case: Case, item: _Kept, event: SourceEvent, *, alone: bool) -> Fact:
    """Tell whether a backward surely reaches what the optimizer holds."""
    if alone:
        return not case.has(CallEffect.STEP)
    held = parameter_sets.of_optimizer(case.resolver, item.value)
    reached = reach_of(event, case.plan, case.resolver)
    if not held or not reached.atoms:
        return False
    met = not parameter_sets.disjoint(held, reached.atoms)
    return True if met and reached.complete else Unknown("reach-is-sure") if met else False


def _is_closed(case: Case, cls: Class) -> bool:
    """Tell whether nothing outside the project steps what the class keeps, and no name hides it."""
    bases = {base.rpartition(".")[2] for base in call_frames.outside_bases(cls, case.resolver)}
    lineage = call_frames.lineage(cls, case.resolver)
    return bases <= OPEN_BASES and not any(
        one.module.mentions(word) for one in lineage for word in BY_NAME
    )


def _kept_by(case: Case, cls: Class, event: SourceEvent) -> Iterator[_Kept]:
    """Yield the optimizers that the class's own methods build and keep, once each."""
    receiver = event.frame.receiver
    cls.assignments("")
    for attr, assigned in (cls.assigned or {}).items() if receiver is not None else ():
        bindings = [binding for _, found in assigned for binding in found]
        made = [binding.value for binding in bindings if not is_constant(binding.value, None)]
        value = of_instance(case.resolver, receiver, attr) if receiver is not None else None
        # `self.optimizer["adam"]` may be found by another key.
        plain = attr.isidentifier() and len(made) == 1
        if not plain or value is None or value.kind is not ValueKind.OPTIMIZER:
            continue
        if value.site is not None and value.site is made[0]:
            yield _Kept(attr, value, value.site, cls)


def _is_used(case: Case, item: _Kept) -> bool:
    """Tell whether anything in sight may step it: its own file, or one that imports that file."""
    project, module = case.resolver.project, item.cls.module
    if _is_handed_on(module.tree, item.attr):
        return True
    return any(
        project.glance(path, lambda other: other.mentions(f".{item.attr}")) is not False
        for path in project.importers(module.key)
    )


def _is_handed_on(tree: ast.AST, attr: str) -> bool:
    """Tell whether an attribute is read for anything but its state, its learning rate, a clear."""
    looked_at: set[int] = set()
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in LOOKING:
            looked_at.add(id(node.value))
        elif isinstance(node, ast.Call) and is_harmless(node):
            looked_at.update(map(id, (*node.args, *(item.value for item in node.keywords))))
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == attr
        and isinstance(node.ctx, ast.Load)
        and id(node) not in looked_at
        for node in walk(tree)
    )
