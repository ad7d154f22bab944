"""Groups of parameters that have always moved together share one account.

A model of a thousand tensors that are always deposited, spent and cleared at once is one group.
The first event that touches only a part of a group splits it, and both halves keep its history.
"""

from __future__ import annotations

from itertools import count
from operator import attrgetter
from typing import TYPE_CHECKING

from zerograd.lifecycle.account import Account
from zerograd.record import field, record, replace

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator

    from zerograd.lifecycle.events import Clear, Parameters, Place
    from zerograd.lifecycle.owner import Owner


# A model that routes (mixture of experts) touches another subset at each backward.
_REMEMBERED_SETS = 1024


@record(eq=False)
class ParameterGroup:
    """Some parameters, their one account, and what is remembered of its past."""

    parameters: Parameters
    number: int
    """Counts groups in the order of their making, so that nothing hangs on the order of a set."""

    account: Account = field(default_factory=Account)
    owners: list[Owner] = field(default_factory=list)
    """The optimizers that hold these parameters."""

    ever_deposited: bool = False
    ever_written: bool = False
    ever_spent: bool = False
    ever_used: bool = False
    ever_alone: bool = False
    """A backward reached these parameters, and none of an optimizer's."""

    unfrozen: bool = False
    """`requires_grad` went from False to True."""

    cleared_at: Place | None = None
    """The last clear."""

    reached: bool = False
    """Something was deposited since the last step."""

    idle: int = 0
    """Windows running, up to two, in which nothing was deposited."""

    only_named_clears: bool = True
    """Whatever was thrown away here was thrown away by `module.zero_grad()`."""

    named_clears: int = 0
    """How often, up to two, that threw a deposit away."""

    def end_window(self) -> None:
        """Count the windows in which nothing came in."""
        self.idle = 0 if self.reached else min(self.idle + 1, 2)
        self.reached = False

    def note_clear(self, event: Clear) -> None:
        """Remember how a deposit was thrown away."""
        self.cleared_at = event.place
        if self.account.lots:
            self.only_named_clears &= event.by_name
            self.named_clears = min(self.named_clears + event.by_name, 2)

    def part(self, parameters: Parameters, number: int) -> ParameterGroup:
        """Split these parameters off, with the same past."""
        self.parameters -= parameters
        return replace(
            self,
            parameters=parameters,
            number=number,
            account=self.account.copy(),
            owners=list(self.owners),
        )


class ParameterGroups:
    """The partition of all parameters into groups."""

    __slots__ = ("_by_parameter", "_by_set", "_numbers")

    def __init__(self) -> None:
        self._numbers = count()
        self._by_parameter: dict[Hashable, ParameterGroup] = {}
        self._by_set: dict[Parameters, tuple[ParameterGroup, ...]] = {}

    def __iter__(self) -> Iterator[ParameterGroup]:
        return iter(dict.fromkeys(self._by_parameter.values()))

    def touching(self, parameters: Parameters) -> tuple[ParameterGroup, ...]:
        """Return the groups that hold exactly these parameters, splitting where needed."""
        found = self._by_set.get(parameters)
        if found is None:
            found = self._partition(parameters)
            if len(self._by_set) >= _REMEMBERED_SETS:
                self._by_set.clear()
            self._by_set[parameters] = found
        return found

    def knows(self, parameters: Collection[Hashable]) -> bool:
        """Tell whether something ever happened to one of these, and it still exists."""
        return not self._by_parameter.keys().isdisjoint(parameters)

    def forget(self, parameters: Parameters) -> None:
        """Drop parameters that no longer exist."""
        for group in self.touching(parameters):
            for owner in group.owners:
                owner.groups.remove(group)
        for parameter in parameters:
            del self._by_parameter[parameter]
        self._by_set.clear()

    def _partition(self, parameters: Parameters) -> tuple[ParameterGroup, ...]:
        known = {p: self._by_parameter[p] for p in parameters if p in self._by_parameter}
        groups = []
        for group in sorted(set(known.values()), key=attrgetter("number")):
            inside = group.parameters & parameters
            groups.append(group if inside == group.parameters else self._split(group, inside))
        unknown = parameters - known.keys() if known else parameters
        if unknown:
            groups.append(self._add(ParameterGroup(unknown, next(self._numbers))))
        return tuple(groups)

    def _split(self, group: ParameterGroup, parameters: Parameters) -> ParameterGroup:
        part = self._add(group.part(parameters, next(self._numbers)))
        for owner in part.owners:
            owner.groups.append(part)
        self._by_set.clear()
        return part

    def _add(self, group: ParameterGroup) -> ParameterGroup:
        self._by_parameter.update(dict.fromkeys(group.parameters, group))
        return group
