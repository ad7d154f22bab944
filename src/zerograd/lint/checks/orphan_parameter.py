"""ZG304: parameters that the loss trains and no optimizer holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, Spot, spot
from zerograd.lint.checks.optimizers import Built, built, hidden, spelled
from zerograd.lint.interpret.reach import reach_of
from zerograd.lint.knowledge import Effect
from zerograd.lint.names import parameters
from zerograd.lint.names.values import Kind
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import Event
    from zerograd.lint.names.values import Key


def check(case: Case) -> Iterator[Draft]:
    """Modules and tensors behind a deposit that every optimizer leaves out."""
    items = [item for item in built(case) if case.plan.index(item.value.key) is not None]
    if (
        not items
        or hidden(case)
        or any(item.atoms is None for item in items)
        or any(holder.atoms is None for holder in case.plan.holders)
    ):
        return
    told: set[Key] = set()
    for event in case.plan.events:
        if event.effect is not Effect.DEPOSIT:
            continue
        reached = reach_of(event, case.plan, case.resolver)
        if not reached.whole or reached.atoms is None:
            continue
        for atom in sorted(reached.atoms):
            if atom not in told and _left_out(case, atom, items, reached.atoms):
                told.add(atom)
                yield _draft(case, atom, event, items)


def _left_out(case: Case, atom: Key, items: list[Built], reached: frozenset[Key]) -> bool:
    """No optimizer holds it, all or in part, and it has parameters that train."""
    one = frozenset({atom})
    if any(item.atoms and not parameters.disjoint(item.atoms, one) for item in items):
        return False
    if any(
        not parameters.disjoint(holder.atoms or frozenset(), one) for holder in case.plan.holders
    ):
        return False
    return any(
        item.atoms and not parameters.disjoint(item.atoms, reached) for item in items
    ) and not _frozen(case, one)


def _frozen(case: Case, one: frozenset[Key]) -> bool:
    return any(
        event.effect is Effect.FREEZE and event.atoms and not parameters.disjoint(event.atoms, one)
        for event in case.plan.events
    )


def _draft(case: Case, atom: Key, event: Event, items: list[Built]) -> Draft:
    item = items[0]
    name = spelled(atom)
    cleared = any(
        other.effect is Effect.CLEAR
        and other.atoms
        and atom in other.atoms
        and not (other.targets or other.manual)
        for other in case.plan.events
    )
    leaf = (
        case.resolver.value(item.site.args[0], item.value.frame)
        if (item.site.args and item.value.frame is not None)
        else None
    )
    listed = (
        leaf is not None
        and len(leaf.parts) > 1
        and all(part.kind is Kind.LEAF for part in leaf.parts)
    )
    severity = Severity.WARNING if cleared or listed else Severity.HINT
    message = f"{name} is trained by this loss, but `{item.label}` does not hold it"
    return Draft(
        "orphan-parameter",
        Spot(item.site, item.module),
        message,
        severity,
        f"give `{item.label}` the parameters of {name} as well",
        [("deposited here", spot(event))],
    )
