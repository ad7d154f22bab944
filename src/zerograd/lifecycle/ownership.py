"""Faults of ownership, judged when a run ends: who holds which parameters, and who gets nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.fault import Fault, Witness
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from zerograd.lifecycle.books import Books
    from zerograd.lifecycle.cells import Cell
    from zerograd.lifecycle.events import Called
    from zerograd.lifecycle.owner import Owner


def is_stale(books: Books, owner: Owner, *, idle: int) -> bool:
    """Tell whether an optimizer holds tensors, idle for some windows, that left the model."""
    called = {p for module in books.modules.values() for leaf in module.leaves for p in leaf}
    unreached = [cell for cell in owner.cells if not cell.reached and cell.idle >= idle]
    out = [cell for cell in unreached if called.isdisjoint(cell.parameters)]
    if not out:
        return False
    orphaned = {p for cell in books.orphans() for p in cell.parameters}
    successors = [m for m in books.modules.values() if not orphaned.isdisjoint(_inside(m))]
    if len(out) == len(owner.cells):
        return any(owner.shapes is not None and m.shapes == owner.shapes for m in successors)
    held = {p for cell in owner.cells for p in cell.parameters}
    return any(not held.isdisjoint(_inside(module)) for module in successors)


def stale_optimizers(books: Books) -> Iterator[Fault]:
    """Find optimizers whose tensors were replaced in the model."""
    for owner in books.built():
        if is_stale(books, owner, idle=2):
            yield _at(owner, "stale-optimizer", Severity.ERROR)


def orphan_parameters(books: Books) -> Iterator[Fault]:
    """Find parameters that are trained and in no optimizer; one fault an optimizer."""
    found: dict[Owner, tuple[Severity, frozenset[Hashable]]] = {}
    for cell in books.orphans():
        owner = _nearest(books, cell)
        if owner is None or owner.reported & {"shared-parameter", "stale-optimizer"}:
            continue
        severity = Severity.WARNING if _was_meant(books, cell) else Severity.HINT
        before, parameters = found.get(owner, (Severity.HINT, frozenset()))
        gravest = min(before, severity, key=lambda s: s.rank)
        found[owner] = gravest, parameters | cell.parameters
    for owner, (severity, parameters) in found.items():
        yield _at(owner, "orphan-parameter", severity, parameters=parameters)


def dead_parameters(books: Books) -> Iterator[Fault]:
    """Find parameters that an optimizer holds and no backward ever reached."""
    absorbing = {"stale-optimizer", "step-without-backward"}
    for owner in books.built() if books.ever_deposited else ():
        dead = [cell for cell in owner.cells if not (cell.ever_deposited or cell.ever_written)]
        if not dead or owner.reported & absorbing:
            continue
        parameters = frozenset().union(*(cell.parameters for cell in dead))
        whole = any(_inside(module) <= parameters for module in books.modules.values())
        severity = Severity.WARNING if whole else Severity.HINT
        yield _at(owner, "dead-parameter", severity, parameters=parameters)


def identical_optimizers(books: Books) -> Iterator[Fault]:
    """Find two stepped optimizers over one set while a module's parameters are in none."""
    # An input that is differentiated, as of a network that solves an equation, is no module's.
    called = frozenset().union(*(_inside(module) for module in books.modules.values()))
    if all(called.isdisjoint(cell.parameters) for cell in books.orphans()):
        return
    seen: dict[frozenset[int], Owner] = {}
    for owner in books.built():
        held = frozenset(cell.number for cell in owner.cells)
        if owner.steps == 0:
            continue
        twin = seen.setdefault(held, owner)
        if twin is not owner and "shared-parameter" not in owner.reported:
            also = Witness("also held here", twin.place)
            # The term that stands twice was to be the orphan's: one fault, one finding.
            twin.reported.add("shared-parameter")
            yield _at(owner, "shared-parameter", Severity.ERROR, also)


def _nearest(books: Books, cell: Cell) -> Owner | None:
    """Return the first optimizer built over the module that holds an orphan, else the first."""
    owners = list(books.built())
    for module in books.modules.values():
        inside = _inside(module)
        if inside.isdisjoint(cell.parameters):
            continue
        for owner in owners:
            if any(not inside.isdisjoint(held.parameters) for held in owner.cells):
                return owner
    return owners[0] if owners else None


def _was_meant(books: Books, cell: Cell) -> bool:
    """Tell a forgotten parameter from a backbone that is left alone on purpose."""
    if cell.unfrozen:
        return True
    owned = {p for other in books.cells if other.owners for p in other.parameters}
    for module in books.modules.values():
        if _follows_an_owned_leaf(module, cell, owned):
            return True
    return _is_cleared_by_name(books, cell)


def _follows_an_owned_leaf(module: Called, cell: Cell, owned: set[Hashable]) -> bool:
    """Tell whether it shares a leaf module with an owned parameter, or runs after one."""
    owned_before = False
    for leaf in module.leaves:
        owned_before = owned_before or not owned.isdisjoint(leaf)
        if owned_before and not leaf.isdisjoint(cell.parameters):
            return True
    return False


def _is_cleared_by_name(books: Books, cell: Cell) -> bool:
    """Tell whether it is cleared by name each window while another module is stepped."""
    if cell.named_clears < 2 or not cell.only_named_clears:
        return False
    stepped = [c for owner in books.built() if owner.steps for c in owner.cells]
    return any(
        _inside(module).isdisjoint(cell.parameters)
        and any(not _inside(module).isdisjoint(other.parameters) for other in stepped)
        for module in books.modules.values()
    )


def _inside(module: Called) -> frozenset[Hashable]:
    return frozenset().union(*module.leaves)


def _at(
    owner: Owner, rule: str, severity: Severity, *witnesses: Witness, **readings: object
) -> Fault:
    return Fault(
        rule=rule,
        severity=severity,
        place=owner.place,
        witnesses=witnesses,
        optimizer=owner.optimizer,
        step=owner.steps,
        readings=readings,
    )
