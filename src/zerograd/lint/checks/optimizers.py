"""The optimizers that a root builds, whether or not it ever steps them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.knowledge import Effect
from zerograd.lint.names import parameters
from zerograd.lint.names.values import Kind
from zerograd.lint.syntax import text
from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.lint.checks.case import Case
    from zerograd.lint.events.event import Event
    from zerograd.lint.module import Module
    from zerograd.lint.names.parameters import Atoms
    from zerograd.lint.names.values import Value


@record(frozen=True, eq=False)
class Built:
    """One construction of an optimizer."""

    value: Value
    site: ast.Call
    module: Module
    label: str
    atoms: Atoms | None
    event: Event


def built(case: Case) -> list[Built]:
    """Every optimizer whose construction the root shows, once each."""
    found: dict[tuple[str, ...], Built] = {}
    for event in case.plan.events:
        if event.effect is not Effect.BUILD:
            continue
        for value in event.targets:
            if value.kind is not Kind.OPTIMIZER or value.site is None or value.frame is None:
                continue
            label = _label(case, event, value)
            found.setdefault(
                value.key,
                Built(
                    value,
                    value.site,
                    value.frame.function.module,
                    label,
                    parameters.of_optimizer(case.resolver, value),
                    event,
                ),
            )
    return list(found.values())


def _label(case: Case, event: Event, value: Value) -> str:
    """Return the name that an optimizer is given, also among others: `model, opt = build()`."""
    if not isinstance(event.node, ast.Assign):
        return "optimizer"
    target = event.node.targets[0]
    for part in target.elts if isinstance(target, ast.Tuple) else ():
        made = case.resolver.value(part, event.frame)
        if made is not None and made.key == value.key:
            return text(part)
    return text(target)


@record(frozen=True, eq=False)
class Made:
    """A construction of which only the place is known, perhaps in another method."""

    value: Value
    site: ast.Call
    module: Module
    label: str


def constructed(case: Case) -> list[Made]:
    """Every optimizer whose construction can be found, the ones that are only stepped included."""
    values = [(item.value, item.label) for item in built(case)]
    values += [(item.value, item.label) for item in case.plan.holders if item.value is not None]
    found: dict[tuple[int, int], Made] = {}
    for value, label in values:
        if value.kind is Kind.OPTIMIZER and value.site is not None and value.frame is not None:
            module = value.frame.function.module
            key = (id(value.site), id(value.frame))
            found.setdefault(key, Made(value, value.site, module, label))
    return sorted(found.values(), key=lambda item: item.site.lineno)


def hidden(case: Case) -> bool:
    """Something that cannot be followed may do what seems to be missing."""
    return any(event.effect is Effect.UNKNOWN for event in case.plan.events)
