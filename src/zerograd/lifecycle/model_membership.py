"""Which tensors are in the model that is called, and which have left it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lifecycle.books import Books
    from zerograd.lifecycle.events import Called
    from zerograd.lifecycle.owner import Owner
    from zerograd.lifecycle.parameter_groups import ParameterGroup


def inside(module: Called) -> frozenset[Hashable]:
    """Return all parameters of a called module."""
    return frozenset().union(*module.leaves)


def left_the_model(books: Books, owner: Owner, *, idle: int) -> list[ParameterGroup]:
    """Return the tensors, idle for some windows, that are in no called module.

    An optimizer that steps and is not reached at all has lost its whole model: whatever was called
    before is no longer what is trained.
    """
    unreached = [group for group in owner.groups if not group.reached and group.idle >= idle]
    if idle and len(unreached) == len(owner.groups):
        return unreached
    called = {p for module in books.modules.values() for leaf in module.leaves for p in leaf}
    return [group for group in unreached if called.isdisjoint(group.parameters)]


def has_successor(books: Books, owner: Owner, out: list[ParameterGroup]) -> bool:
    """Tell whether a called module trains what no optimizer holds, in the place of these tensors.

    Such a module also holds parameters of this optimizer; if all of them are out, it has the same
    shapes.
    """
    orphaned = {p for group in books.orphans() for p in group.parameters}
    successors = [m for m in books.modules.values() if not orphaned.isdisjoint(inside(m))]
    if len(out) == len(owner.groups):
        same = any(owner.shapes is not None and m.shapes == owner.shapes for m in successors)
        return same or _training_moved_on(books, owner)
    held = {p for group in owner.groups for p in group.parameters}
    return any(not held.isdisjoint(inside(module)) for module in successors)


def _training_moved_on(books: Books, owner: Owner) -> bool:
    """Tell whether the line that fed an optimizer feeds nobody's tensors now, and those alone."""
    return any(
        group.ever_alone and not group.account.lots.keys().isdisjoint(owner.sources)
        for group in books.orphans()
    )


def is_replaced(books: Books, owner: Owner, *, idle: int) -> bool:
    """Tell whether an optimizer holds tensors whose place in the model others have taken."""
    out = left_the_model(books, owner, idle=idle)
    return bool(out) and has_successor(books, owner, out)
