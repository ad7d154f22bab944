"""ZG307 and ZG304 in `configure_optimizers`: Lightning runs it, and no line of the program does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.ownership import orphan_parameter
from zerograd.lint.checks.evidence.case import Draft, Spot
from zerograd.lint.checks.evidence.new_modules import is_new_on_top
from zerograd.lint.checks.evidence.optimizers import BuiltOptimizer, spelled
from zerograd.lint.checks.shared_parameter import given_twice
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.scope import returns
from zerograd.lint.program.syntax import text, walk
from zerograd.lint.values import call_frames, parameter_sets
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.program.module import Class, Function
    from zerograd.lint.values.value import CallFrame


def check(case: Case) -> Iterator[Draft]:
    """Look at every optimizer that a module of Lightning's tells it to step."""
    module = case.plan.frame.function.module
    for function in module.functions.values():
        if function.last_name == "configure_optimizers":
            for item in _told_by(case, function, case.resolver.alone(function)):
                yield from given_twice(item.value, module, item.label)
    for cls in module.classes.values():
        yield from _left_out(case, cls)


def _told_by(case: Case, function: Function, frame: CallFrame) -> Iterator[BuiltOptimizer]:
    for node in walk(function.node):
        value = case.resolver.value(node, frame) if isinstance(node, ast.Call) else None
        if value is None or value.kind is not ValueKind.OPTIMIZER or value.site is not node:
            continue
        atoms = parameter_sets.of_optimizer(case.resolver, value)
        event = SourceEvent(CallEffect.BUILD, node, frame)
        yield BuiltOptimizer(
            value, value.site, function.module, text(value.site.func), atoms, event
        )


def _left_out(case: Case, cls: Class) -> Iterator[Draft]:
    """Find modules of random weights behind what `training_step` returns, in no optimizer."""
    configure, step = (
        _method(case, cls, name) for name in ("configure_optimizers", "training_step")
    )
    if configure is None or step is None:
        return
    items = list(_told_by(case, configure, case.resolver.alone(configure, cls)))
    if not items or any(item.atoms is None for item in items):
        return
    told = set()
    home = case.resolver.alone(step, cls)
    for returned in returns(step.node):
        asked = SourceEvent(CallEffect.DEPOSIT, returned, home, loss=returned)
        reached = reach_of(asked, case.plan, case.resolver)
        for atom in sorted(reached.atoms or ()) if reached.complete else ():
            meant = atom not in told and is_new_on_top(case, atom, reached, items)
            verdict = orphan_parameter(deposited=meant, held=False, used=False, meant=True)
            if verdict is not None:
                told.add(atom)
                yield Draft(
                    verdict,
                    Spot(items[0].site, configure.module),
                    f"{spelled(atom)} is trained by `{step.last_name}`, and no optimizer holds it",
                    f"give an optimizer the parameters of {spelled(atom)} as well",
                    [("the loss is returned here", Spot(returned, step.module))],
                )


def _method(case: Case, cls: Class, name: str) -> Function | None:
    """Return a method of a class of Lightning's, its own or inherited."""
    outside = call_frames.outside_bases(cls, case.resolver)
    if not any(base.endswith("LightningModule") for base in outside):
        return None
    lineage = call_frames.lineage(cls, case.resolver)
    return next((one.methods[name] for one in lineage if name in one.methods), None)
