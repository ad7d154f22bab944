"""Faults of ownership, judged when a run ends: who holds which parameters, and who gets nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.fault import Fault, Witness
from zerograd.lifecycle.model_membership import has_successor, inside, left_the_model
from zerograd.lifecycle.verdicts import ownership as verdicts

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from zerograd.lifecycle.books import Books
    from zerograd.lifecycle.events import Called
    from zerograd.lifecycle.owner import Owner
    from zerograd.lifecycle.parameter_groups import ParameterGroup
    from zerograd.lifecycle.verdicts.verdict import Verdict


def stale_optimizers(books: Books) -> Iterator[Fault]:
    """State optimizers whose tensors were replaced in the model."""
    for owner in books.built():
        out = left_the_model(books, owner, idle=2)
        verdict = verdicts.stale_optimizer(
            holds_replaced=bool(out),
            successor_trains=bool(out) and has_successor(books, owner, out),
        )
        if verdict is not None:
            yield at_construction(owner, verdict)


def orphan_parameters(books: Books) -> Iterator[Fault]:
    """State parameters that are trained and in no optimizer; one fault an optimizer."""
    found: dict[Owner, tuple[Verdict, frozenset[Hashable]]] = {}
    for group in books.orphans():
        owner = _nearest(books, group)
        verdict = verdicts.orphan_parameter(
            deposited=group.ever_deposited,
            held=bool(group.owners),
            used=group.ever_used or group.ever_spent,
            meant=_was_meant(books, group),
        )
        if owner is None or verdict is None:
            continue
        before, parameters = found.get(owner, (verdict, frozenset()))
        gravest = min(before, verdict, key=lambda one: one.severity.rank)
        found[owner] = gravest, parameters | group.parameters
    for owner, (verdict, parameters) in found.items():
        yield at_construction(owner, verdict, parameters=parameters)


def dead_parameters(books: Books) -> Iterator[Fault]:
    """State parameters that an optimizer holds and no backward ever reached."""
    for owner in books.built():
        dead = [group for group in owner.groups if not (group.ever_deposited or group.ever_written)]
        parameters: frozenset[Hashable] = frozenset().union(*(group.parameters for group in dead))
        verdict = verdicts.dead_parameter(
            ever_deposited=not dead,
            others_deposited=books.ever_deposited,
            whole=any(inside(module) <= parameters for module in books.modules.values()),
        )
        if verdict is not None:
            yield at_construction(owner, verdict, parameters=parameters)


def identical_optimizers(books: Books) -> Iterator[Fault]:
    """State two stepped optimizers over one set while a module's parameters are in none."""
    # An input that is differentiated, as of a network that solves an equation, is no module's.
    called = frozenset().union(*(inside(module) for module in books.modules.values()))
    # Optimizers that take turns over one model are right, also while a loss network is in none. A
    # backward that reaches the orphans alone has no optimizer: one of the two was to be theirs.
    left_out = any(
        group.ever_alone and not called.isdisjoint(group.parameters) for group in books.orphans()
    )
    seen: dict[frozenset[int], Owner] = {}
    for owner in books.built():
        held = frozenset(group.number for group in owner.groups)
        if owner.steps == 0:
            continue
        twin = seen.setdefault(held, owner)
        if twin is not owner and "shared-parameter" not in owner.reported:
            verdict = verdicts.shared_parameter(sibling_left_out=left_out)
            if verdict is not None:
                # The term that stands twice was to be the orphan's: one fault, one finding.
                twin.reported.add(verdict.rule)
                yield at_construction(owner, verdict, Witness("also held here", twin.place))


def _nearest(books: Books, group: ParameterGroup) -> Owner | None:
    """Return the first optimizer built over the module that holds an orphan, else the first."""
    owners = list(books.built())
    for module in books.modules.values():
        parameters = inside(module)
        if parameters.isdisjoint(group.parameters):
            continue
        for owner in owners:
            if any(not parameters.isdisjoint(held.parameters) for held in owner.groups):
                return owner
    return owners[0] if owners else None


def _was_meant(books: Books, group: ParameterGroup) -> bool:
    """Tell a forgotten parameter from a backbone that is left alone on purpose."""
    if group.unfrozen:
        return True
    owned = {p for other in books.groups if other.owners for p in other.parameters}
    for module in books.modules.values():
        if _follows_an_owned_leaf(module, group, owned):
            return True
    return _is_cleared_by_name(books, group)


def _follows_an_owned_leaf(module: Called, group: ParameterGroup, owned: set[Hashable]) -> bool:
    """Tell whether it shares a leaf module with an owned parameter, or runs after one."""
    owned_before = False
    for leaf in module.leaves:
        owned_before = owned_before or not owned.isdisjoint(leaf)
        if owned_before and not group.parameters.isdisjoint(leaf):
            return True
    return False


def _is_cleared_by_name(books: Books, group: ParameterGroup) -> bool:
    """Tell whether it is cleared by name each window while another module is stepped."""
    if group.named_clears < 2 or not group.only_named_clears:
        return False
    stepped = [c for owner in books.built() if owner.steps for c in owner.groups]
    return any(
        inside(module).isdisjoint(group.parameters)
        and any(not inside(module).isdisjoint(other.parameters) for other in stepped)
        for module in books.modules.values()
    )


def at_construction(
    owner: Owner, verdict: Verdict, *witnesses: Witness, **readings: object
) -> Fault:
    """State a fault of an optimizer as a whole, where it was built."""
    return Fault.of(
        verdict,
        owner.place,
        *witnesses,
        optimizer=owner.optimizer,
        step=owner.steps,
        **readings,
    )
