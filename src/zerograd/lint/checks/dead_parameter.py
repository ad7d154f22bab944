"""ZG305: parameters in an optimizer that no backward ever reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.ownership import dead_parameter
from zerograd.lifecycle.verdicts.verdict import Unknown
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, line, unsaid
from zerograd.lint.checks.evidence.optimizers import BuiltOptimizer, built, hidden, spelled
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.interpret.event_targets import is_joined_later
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.values import parameter_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.reached_values import ReachedValues
    from zerograd.lint.values.value import Key


def check(case: Case) -> Iterator[Draft]:
    """Atoms of an optimizer that every deposit misses or that were frozen for good."""
    items = [item for item in built(case) if case.plan.index(item.value.key) is not None]
    deposits = [event for event in case.plan.events if event.effect is CallEffect.DEPOSIT]
    reaches = [reach_of(event, case.plan, case.resolver) for event in deposits if items]
    unknown = [
        event
        for event, reach in zip(deposits, reaches, strict=False)
        if not (reach.whole and reach.atoms)
    ]
    for event in unknown:
        # What the loss reaches beside what is known may be any parameter that seems dead.
        maybe = Unknown("modules-known")
        verdict = dead_parameter(ever_deposited=maybe, others_deposited=True, whole=False)
        if verdict is not None:
            yield unsaid(verdict, event)
    for item in items:
        for atom in sorted(item.atoms or ()):
            why = _dead(case, atom, item, reaches)
            verdict = dead_parameter(ever_deposited=why is None, others_deposited=True, whole=False)
            if verdict is not None:
                message = f"{spelled(atom)} is in `{item.label}`, but {why}"
                yield Draft(
                    verdict.assuming({"nothing-hidden": not hidden(case)}),
                    Spot(item.site, item.module),
                    message,
                    "leave it out of the optimizer, or let the loss reach it",
                )
                break


def _dead(case: Case, atom: Key, item: BuiltOptimizer, reaches: list[ReachedValues]) -> str | None:
    one = frozenset({atom})
    for event in case.plan.events:
        if (
            event.effect is CallEffect.FREEZE
            and event.freezes
            and event.atoms
            and (
                parameter_sets.covers(event.atoms, one)
                and item.event.effect is CallEffect.BUILD
                and event.frame is item.event.frame
                and line(event) < line(item.event)
                and not is_joined_later(event)
                and not _is_thawed(case, one, event)
            )
        ):
            return "it was frozen"
    if not reaches or not all(reach.whole and reach.atoms for reach in reaches):
        return None
    if len(item.atoms or ()) < 2 and len(case.plan.holders) < 2:
        return None
    if any(not parameter_sets.disjoint(reach.atoms or frozenset(), one) for reach in reaches):
        return None
    return "no backward reaches it"


def _is_thawed(case: Case, one: frozenset[Key], frozen: SourceEvent) -> bool:
    """Tell whether some of what was frozen is trained again: `layer4.requires_grad_(True)`."""
    return any(
        event.effect is CallEffect.FREEZE
        and not event.freezes
        and event.number > frozen.number
        and (event.everything or not parameter_sets.disjoint(event.atoms or frozenset(), one))
        for event in case.plan.events
    )
