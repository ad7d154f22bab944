"""ZG604: an in-place clear of gradients that still need their graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import graph
from zerograd.lint.checks.evidence.case import Case, Draft, callers, spot
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import text
from zerograd.lint.values import parameter_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import SourceEvent


def check(case: Case) -> Iterator[Draft]:
    """Find an in-place clear after `create_graph=True` that a second backward still has to pass."""
    made: SourceEvent | None = None
    detached: list[SourceEvent] = []
    for event in case.plan.events:
        if event.effect is CallEffect.DEPOSIT and event.creates:
            made, detached = event, []
        elif event.effect is CallEffect.CLEAR and made is not None:
            if not event.keeps_zeros or not event.manual:
                detached.append(event)
                continue
            verdict = graph.zero_in_graph(
                in_place=isinstance(event.node, ast.Call),
                tracked=_differentiated_later(case, event)
                and not any(_same_gradients(case, event, other) for other in detached),
            )
            if verdict is not None:
                message = f"`{text(event.node)}` clears in place gradients that have a graph"
                yield Draft(
                    verdict,
                    spot(event),
                    message,
                    "set `.grad = None`, or call `zero_grad()`, which detaches first",
                    [("made with `create_graph` here", spot(made)), *callers(event)],
                    (event,),
                )
                made = None


def _same_gradients(case: Case, clear: SourceEvent, other: SourceEvent) -> bool:
    """Tell whether two clears may touch one gradient."""
    mine, theirs = (_cleared(case, event) for event in (clear, other))
    return mine is None or theirs is None or not parameter_sets.disjoint(mine, theirs)


def _cleared(case: Case, clear: SourceEvent) -> parameter_sets.Atoms | None:
    if clear.atoms is not None or not clear.targets:
        return clear.atoms
    found = [parameter_sets.of_optimizer(case.resolver, target) for target in clear.targets]
    known = [item for item in found if item is not None]
    return frozenset().union(*known) if len(known) == len(found) else None


def _differentiated_later(case: Case, clear: SourceEvent) -> bool:
    return any(
        event.effect is CallEffect.DEPOSIT and not event.creates and event.number > clear.number
        for event in case.plan.events
    )
