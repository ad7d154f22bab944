"""Faults that only the end of a run shows: never spent, dropped, without effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.fault import Fault, Witness
from zerograd.lifecycle.ledger_checks import graph, ownership
from zerograd.lifecycle.verdicts import accumulation, spending
from zerograd.lifecycle.window_statistics import ENOUGH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.books import Books


def steps_without_effect(books: Books) -> Iterator[Fault]:
    """State optimizers that found gradients three times or more and changed no parameter."""
    for owner in books.built():
        verdict = spending.step_without_effect(
            found_gradients=owner.calls >= ENOUGH, changed_parameters=owner.ever_moved
        )
        if verdict is not None and owner.last_step is not None:
            place = owner.last_step.place
            yield Fault.of(verdict, place, optimizer=owner.optimizer, step=owner.steps)


def never_spent(books: Books) -> Iterator[Fault]:
    """State optimizers with deposits and no call of step, while nobody else spends them."""
    for owner in books.built():
        verdict = spending.never_spent(
            deposited=owner.ever_deposited,
            stepped=owner.called,
            spent_otherwise=any(group.ever_spent or group.ever_used for group in owner.groups),
        )
        if verdict is not None:
            yield ownership.at_construction(owner, verdict)


def tails_dropped(books: Books) -> Iterator[Fault]:
    """State what is left over of a regular window, at the last step."""
    for owner in books.built():
        content, step = owner.content(), owner.last_step
        verdict = accumulation.tail_dropped(
            regular=owner.statistics.full > 1 and content.source == owner.statistics.source,
            unfinished=content.lot is not None,
        )
        if verdict is None or content.lot is None or step is None:
            continue
        deposit = Witness("deposited here", content.lot.newest.place)
        yield Fault.of(
            verdict,
            step.place,
            deposit,
            optimizer=owner.optimizer,
            step=owner.steps,
            deposits=content.count,
        )


AT_ANY_END = (steps_without_effect,)

AT_A_CLEAN_END = (
    ownership.stale_optimizers,
    ownership.identical_optimizers,
    ownership.orphan_parameters,
    graph.backwards_without_graph,
    ownership.dead_parameters,
    never_spent,
    tails_dropped,
)
"""An exception cuts a run short: what is missing then may have been to come."""
