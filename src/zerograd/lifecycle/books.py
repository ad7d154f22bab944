"""The books of a run: all accounts and owners, and what is known of the program as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.owner import Owner
from zerograd.lifecycle.parameter_groups import ParameterGroups
from zerograd.lifecycle.scalers import Scalers
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from zerograd.lifecycle.events import Backward, Called, Place, Source
    from zerograd.lifecycle.parameter_groups import ParameterGroup


@record()
class Books:
    """What judgements read; the ledger writes it."""

    groups: ParameterGroups = field(default_factory=ParameterGroups)
    owners: dict[Hashable, Owner] = field(default_factory=dict)
    spenders: dict[Source, set[Hashable]] = field(default_factory=dict)
    """The optimizers that have ever spent a deposit of a source."""

    modules: dict[Hashable, Called] = field(default_factory=dict)
    """The outermost modules that were called."""

    scalers: Scalers = field(default_factory=Scalers)
    ever_deposited: bool = False
    """Some backward or write has happened."""

    without_graph: dict[Source, list[Backward]] = field(default_factory=dict)
    """The first backwards of each line that started from a leaf, and reached no optimizer."""

    def owner(self, optimizer: Hashable, place: Place) -> Owner:
        """Find an optimizer; one whose construction was not seen is taken as built here."""
        found = self.owners.get(optimizer)
        if found is None:
            found = self.owners[optimizer] = Owner(optimizer, place)
        return found

    def others_spend(self, source: Source, owner: Owner) -> bool:
        """Tell whether another optimizer spends deposits of this source."""
        return bool(self.spenders.get(source, set()) - {owner.optimizer})

    def dispose(self, optimizer: Hashable) -> None:
        """Forget an optimizer that no longer exists."""
        owner = self.owners.pop(optimizer, None)
        if owner is None:
            return
        for group in owner.groups:
            group.owners.remove(owner)
        for spenders in self.spenders.values():
            spenders.discard(optimizer)
        self.scalers.forget(optimizer)

    def built(self) -> Iterator[Owner]:
        """Go through the optimizers that answer for themselves, in order of construction."""
        for owner in self.owners.values():
            if not owner.anonymous and not owner.inner:
                yield owner

    def orphans(self) -> list[ParameterGroup]:
        """Return the groups with deposits that belong to nobody and served nothing."""
        return [
            group
            for group in self.groups
            if group.ever_deposited and not (group.owners or group.ever_used or group.ever_spent)
        ]
