"""Book who owns which parameters: optimizers are built, extended, deleted; modules are called."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from zerograd.lifecycle import events as e
from zerograd.lifecycle.fault import Fault
from zerograd.lifecycle.verdicts.ownership import shared_parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zerograd.lifecycle.books import Books

_REMEMBERED_MODULES = 256


def construct(books: Books, event: e.Construct) -> tuple[Fault, ...]:
    """Open the accounts of a new optimizer."""
    # The id of an optimizer that died may come back.
    books.dispose(event.optimizer)
    owner = books.owner(event.optimizer, event.place)
    owner.shapes = event.shapes
    for group in books.groups.touching(event.parameters):
        owner.take(group)
    verdict = shared_parameter(given_twice=event.repeats)
    if verdict is None:
        return ()
    owner.reported.add(verdict.rule)
    return (Fault.of(verdict, event.place, optimizer=event.optimizer),)


def extend(books: Books, event: e.Extend) -> tuple[Fault, ...]:
    """Add a parameter group."""
    owner = books.owner(event.optimizer, event.place)
    for group in books.groups.touching(event.parameters):
        owner.take(group)
    return ()


def called(books: Books, event: e.Called) -> tuple[Fault, ...]:
    """Remember a module that takes part; a program that keeps making them leaves dead ones."""
    if len(books.modules) >= _REMEMBERED_MODULES:
        books.modules = {
            number: module
            for number, module in books.modules.items()
            if any(books.groups.knows(leaf) for leaf in module.leaves)
        }
    books.modules[event.module] = event
    return ()


def unfreeze(books: Books, event: e.Unfreeze) -> tuple[Fault, ...]:
    """Note that parameters are to be trained from now on."""
    for group in books.groups.touching(event.parameters):
        group.unfrozen = True
    return ()


def dispose(books: Books, event: e.Dispose) -> tuple[Fault, ...]:
    """Forget what no longer exists."""
    books.dispose(event.optimizer)
    books.groups.forget(event.parameters)
    for owner in [o for o in books.owners.values() if o.anonymous and not o.groups]:
        books.dispose(owner.optimizer)
    return ()


HOLDING: Mapping[type[e.Event], Callable[[Books, Any], tuple[Fault, ...]]] = MappingProxyType(
    {
        e.Construct: construct,
        e.Extend: extend,
        e.Called: called,
        e.Unfreeze: unfreeze,
        e.Dispose: dispose,
    }
)
