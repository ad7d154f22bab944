"""The living engines, by what they own, so that a call looks at those that it concerns.

A hundred engines may live at once: folds, clients, members of an ensemble. Whatever torch does is
looked up here by its optimizer or parameter; nothing that happens at every step asks all engines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.engine.books import opened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor

    from zerograd.engine.books import EngineBooks

living: list[EngineBooks] = []
"""The books of every living engine."""

by_optimizer: dict[int, EngineBooks] = {}
by_parameter: dict[int, EngineBooks] = {}
by_scaler: dict[int, EngineBooks] = {}
"""By id: what is owned lives as long as its engine owns it."""

at_work: dict[int, EngineBooks] = {}
"""The books whose backward is running, by thread."""


def enter(books: EngineBooks) -> None:
    """Enter an engine's books."""
    living.append(books)
    by_optimizer.update((id(one), books) for one in books.accounts.optimizers)
    by_parameter.update(dict.fromkeys(books.accounts.ids, books))
    if books.scaler is not None:
        by_scaler[id(books.scaler)] = books
    learn_anew()


def leave(books: EngineBooks) -> None:
    """Take an engine's books out.

    Engines of other threads come and go meanwhile, and of this one where garbage is collected:
    each index is read and written in single calls, between which nothing is taken for unchanged.
    """
    if books in living:
        living.remove(books)
    for index in (by_optimizer, by_parameter, by_scaler, opened):
        for key in list(
            index
        ):  # not its items: each would be an object that may begin a collection
            if index.get(key) is books:
                index.pop(key, None)
    learn_anew()


def learn_anew() -> None:
    """Let every engine find out again whose accounts its backwards reach."""
    for books in living:
        books.reaches = None


def owners(parameters: Iterable[Tensor]) -> list[EngineBooks]:
    """Return the engines that own any of these parameters, each once."""
    found = {id(books): books for p in parameters if (books := by_parameter.get(id(p)))}
    return list(found.values())
