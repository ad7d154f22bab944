"""What is judged when a run ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle import ownership
from zerograd.lifecycle.fault import Fault, Witness
from zerograd.lifecycle.habits import ENOUGH
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.books import Books
    from zerograd.lifecycle.owner import Owner


def steps_without_effect(books: Books) -> Iterator[Fault]:
    """Find optimizers that found gradients three times or more and changed no parameter.

    Judged at the end, because a gated step (Accelerate) does nothing for a whole window.
    """
    for owner in books.built():
        if owner.calls >= ENOUGH and not owner.ever_moved and owner.last_step is not None:
            yield _of(owner, "step-without-effect", Severity.WARNING, owner.last_step.place)


def never_spent(books: Books) -> Iterator[Fault]:
    """Find optimizers with deposits and no call of step, while nobody else spends them."""
    for owner in books.built():
        spent = any(cell.ever_spent or cell.ever_used for cell in owner.cells)
        if owner.ever_deposited and not owner.called and not spent:
            yield _of(owner, "never-spent", Severity.WARNING, owner.place)


def tails_dropped(books: Books) -> Iterator[Fault]:
    """Find what is left over of a regular window."""
    for owner in books.built():
        content, step = owner.content(), owner.last_step
        regular = owner.habits.full > 1 and content.source == owner.habits.source
        absorbed = owner.reported & {"window-off-by-one", "tail-leaks"}
        if content.lot is None or step is None or not regular or absorbed:
            continue
        deposit = Witness("deposited here", content.lot.newest.place)
        place = step.place
        yield _of(owner, "tail-dropped", Severity.HINT, place, deposit, deposits=content.count)


def _of(
    owner: Owner,
    rule: str,
    severity: Severity,
    place: object,
    *witnesses: Witness,
    **readings: object,
) -> Fault:
    return Fault(
        rule=rule,
        severity=severity,
        place=place,
        witnesses=witnesses,
        optimizer=owner.optimizer,
        step=owner.steps,
        readings=readings,
    )


AT_ANY_END = (steps_without_effect,)

AT_A_CLEAN_END = (
    ownership.stale_optimizers,
    ownership.identical_optimizers,
    ownership.orphan_parameters,
    ownership.dead_parameters,
    never_spent,
    tails_dropped,
)
"""An exception cuts a run short: what is missing then may have been to come."""
