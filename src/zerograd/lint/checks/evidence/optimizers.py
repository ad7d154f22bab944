"""The optimizers that a root builds, whether or not it ever steps them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import text
from zerograd.lint.values import parameter_sets
from zerograd.lint.values.value import ValueKind
from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.program.module import Module
    from zerograd.lint.values.parameter_sets import Atoms
    from zerograd.lint.values.value import Key, Value


@record(frozen=True, eq=False)
class BuiltOptimizer:
    """One construction of an optimizer."""

    value: Value
    site: ast.Call
    module: Module
    label: str
    atoms: Atoms | None
    event: SourceEvent
    """The assignment that builds it, or the first use of one that an object built for itself."""


def built(case: Case) -> list[BuiltOptimizer]:
    """Every optimizer whose construction the root shows, once each."""
    known = case.memory.get("built")
    if not isinstance(known, dict):
        known = case.memory["built"] = dict[tuple[str, ...], BuiltOptimizer]()
        # An `__init__` is not entered: what it builds shows where it is first used.
        for effects in ((CallEffect.BUILD,), (CallEffect.STEP, CallEffect.CLEAR)):
            for event in case.plan.events:
                if event.effect in effects:
                    for value in event.targets:
                        _add(case, event, value, known)
    return list(known.values())


def _add(
    case: Case, event: SourceEvent, value: Value, known: dict[tuple[str, ...], BuiltOptimizer]
) -> None:
    if value.kind is not ValueKind.OPTIMIZER or value.site is None or value.frame is None:
        return
    if value.key not in known:
        known[value.key] = BuiltOptimizer(
            value,
            value.site,
            value.frame.function.module,
            _label(case, event, value),
            parameter_sets.of_optimizer(case.resolver, value),
            event,
        )


def _label(case: Case, event: SourceEvent, value: Value) -> str:
    """Return the name that an optimizer is given, also among others: `model, opt = build()`."""
    if event.effect is not CallEffect.BUILD:
        owner = event.frame.function.self_name
        by_method = event.scaler is None and not event.manual
        return event.label if by_method else ".".join(filter(None, (owner, value.key[-1])))
    if not isinstance(event.node, ast.Assign):
        return "optimizer"
    target = event.node.targets[0]
    for part in target.elts if isinstance(target, ast.Tuple) else ():
        made = case.resolver.value(part, event.frame)
        if made is not None and made.key == value.key:
            return text(part)
    return text(target)


def spelled(atom: Key) -> str:
    """Name a module or tensor; one without a name goes by the line that builds it."""
    last = atom[-1]
    if last.startswith("@"):
        return f"the module of line {last[1:].partition('.')[0]}"
    return f"`{last}`"


@record(frozen=True, eq=False)
class ConstructionSite:
    """A construction of which only the place is known, perhaps in another method."""

    value: Value
    site: ast.Call
    module: Module
    label: str


def constructed(case: Case) -> list[ConstructionSite]:
    """Every optimizer whose construction can be found, the ones that are only stepped included."""
    values = [(item.value, item.label) for item in built(case)]
    values += [(item.value, item.label) for item in case.plan.holders if item.value is not None]
    found: dict[tuple[int, int], ConstructionSite] = {}
    for value, label in values:
        if value.kind is ValueKind.OPTIMIZER and value.site is not None and value.frame is not None:
            module = value.frame.function.module
            key = (id(value.site), id(value.frame))
            found.setdefault(key, ConstructionSite(value, value.site, module, label))
    return sorted(found.values(), key=lambda item: item.site.lineno)


def hidden(case: Case) -> bool:
    """Something that cannot be followed may do what seems to be missing."""
    return any(event.effect is CallEffect.UNKNOWN for event in case.plan.events)
