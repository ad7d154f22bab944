"""Register the parameters and optimizers of a run by number, and the groups between them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import ref

from zerograd.watch.gradients.groups import GONE, GradientGroup, GradientState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Optimizer

    from zerograd.watch.gradients.groups import GradientChange


class NumberedReference(ref[Any]):
    """A weak reference that knows what it pointed to: smaller than a function that remembers."""

    __slots__ = ("address", "number")

    address: int
    number: int


class ObjectNumbers:
    """A number for every object of a run, never reused; objects are not kept alive."""

    def __init__(self, on_death: Callable[[int], None]) -> None:
        self.count = 0
        """How many objects ever got a number."""
        self._known: dict[int, NumberedReference] = {}
        self._on_death = on_death
        self._forgetting = self._forget
        """One bound method for all: each look at `self._forget` would make another."""

    def number(self, thing: Any) -> int | None:
        """Return the object's number, if it has one."""
        known = self._known.get(id(thing))
        return known.number if known is not None and known() is thing else None

    def of(self, thing: Any) -> int:
        """Return the object's number, a new one if need be."""
        number = self.number(thing)
        if number is not None:
            return number
        self.count += 1
        known = NumberedReference(thing, self._forgetting)
        known.address, known.number = id(thing), self.count
        self._known[known.address] = known
        return known.number

    def thing(self, number: object) -> Any:
        """Return the object of this number, if it still exists."""
        return next((known() for known in self._known.values() if known.number == number), None)

    def knows(self, thing: Any) -> bool:
        """Whether it has a number already."""
        return self.number(thing) is not None

    def _forget(self, dead: NumberedReference) -> None:
        if self._known.get(dead.address) is dead:
            del self._known[dead.address]
        self._on_death(dead.number)


class Registry:
    """All groups, found by optimizer."""

    def __init__(self) -> None:
        self.groups: list[GradientGroup] = []
        self.arrangement = 0
        """Counts how often the groups were arranged anew."""
        self.found: list[tuple[GradientChange, GradientGroup]] = []
        """What the last look found."""
        self.dead: list[tuple[str, int]] = []
        """("optimizer" or "parameter", number): what died since it was last asked."""
        self.parameters = ObjectNumbers(lambda number: self.dead.append(("parameter", number)))
        self.optimizers = ObjectNumbers(lambda number: self.dead.append(("optimizer", number)))
        self.modules = ObjectNumbers(lambda _: None)
        self.frozen: set[int] = set()
        """Parameters that did not require a gradient when they were first seen."""
        self._owned: dict[int, list[GradientGroup]] = {}
        self._shapes: dict[int, list[tuple[int, ...]]] = {}

    def owned_by(self, optimizer: int) -> list[GradientGroup]:
        """Return the groups of an optimizer."""
        owned = self._owned.get(optimizer)
        if owned is None:
            owned = [group for group in self.groups if optimizer in group.owners]
            self._owned[optimizer] = owned
        return owned

    def trains(self, module: Module) -> bool:
        """Whether an optimizer holds a parameter of a module."""
        keys = {self.parameters.number(parameter) for parameter in module.parameters()}
        return any(group.owners and not keys.isdisjoint(group.keys) for group in self.groups)

    def current(self, optimizer: Optimizer) -> int | None:
        """Return an optimizer's number if its parameter lists are as they were enlisted."""
        known = self.optimizers.number(optimizer)
        if known is not None and self._shapes.get(known) == _shape(optimizer):
            return known
        return None

    def enlist(self, optimizer: Optimizer) -> frozenset[int]:
        """Take in an optimizer with all its parameters, and return their numbers."""
        number = self.optimizers.of(optimizer)
        tensors = [p for group in optimizer.param_groups for p in group["params"]]
        keys = self.admit(tensors)
        self._shapes[number] = _shape(optimizer)
        self._rearrange(lambda group: self._claimed(group, keys, number))
        self._unite(number)
        return self._shared(keys)

    def forget(self, optimizer: int) -> None:
        """Drop an optimizer that no longer exists."""
        self._shapes.pop(optimizer, None)
        self._owned.pop(optimizer, None)

    def take_in(self, tensors: Iterable[Tensor]) -> frozenset[int]:
        """Give tensors their numbers; those that are new become a group."""
        return self._shared(self.admit(tensors))

    def _shared(self, keys: set[int]) -> frozenset[int]:
        """Return the set of the group that has these numbers, if there is one.

        The set of a large model is kept by events, by lines and by the ledger: once is enough.
        """
        alike = (group.keys for group in self.groups if len(group.members) == len(keys))
        return next((known for known in alike if known == keys), frozenset(keys))

    def admit(self, tensors: Iterable[Tensor]) -> set[int]:
        """Return the numbers of tensors; those that are new become a group.

        What is no leaf (MAML's fast weights) has no account, and torch warns who reads its `.grad`.
        """
        new: list[GradientState] = []
        keys = set()
        for tensor in tensors:
            if not tensor.is_leaf:
                continue
            known = self.parameters.knows(tensor)
            key = self.parameters.of(tensor)
            if not known:
                new.append(GradientState(key, tensor))
                if not tensor.requires_grad:
                    self.frozen.add(key)
            keys.add(key)
        if new:
            self.groups.append(GradientGroup(new))
            self.arrangement += 1
        return keys

    def _claimed(self, group: GradientGroup, keys: set[int], owner: int) -> list[GradientGroup]:
        inside = [member for member in group.members if member.key in keys]
        outside = [member for member in group.members if member.key not in keys]
        parts = []
        if inside:
            parts.append(group.part(inside, group.owners | {owner}))
        if outside:
            parts.append(group.part(outside))
        return parts

    def _unite(self, owner: int) -> None:
        """Make one group of an owner's groups that are in the same state, as far as was seen.

        Who watches a model before its optimizer has met it layer by layer.
        """
        alike: dict[object, list[GradientGroup]] = {}
        for group in self.groups:
            alone = None if owner in group.owners and group.synced else group
            alike.setdefault((alone, group.state), []).append(group)
        self.groups = [
            groups[0] if len(groups) == 1 else groups[0].part(m for g in groups for m in g.members)
            for groups in alike.values()
        ]
        self._owned.clear()

    def _rearrange(self, parts_of: Callable[[GradientGroup], list[GradientGroup]]) -> None:
        self.groups = [part for group in self.groups for part in parts_of(group)]
        self._owned.clear()
        self.arrangement += 1

    def look(
        self, groups: list[GradientGroup], *, at_all: bool
    ) -> list[tuple[GradientChange, GradientGroup]]:
        """Look at these groups; where members part ways the registry is rearranged."""
        found = []
        for group in groups:
            parts = group.look(at_all=at_all)
            if len(parts) > 1 or parts[0][0] is GONE:
                parts = [part for part in parts if part[0] is not GONE]
                self._replace(group, [part for _, part in parts])
            found.extend(parts)
        self.found = found
        return found

    def _replace(self, group: GradientGroup, parts: list[GradientGroup]) -> None:
        at = next(i for i, known in enumerate(self.groups) if known is group)
        self.groups = [*self.groups[:at], *parts, *self.groups[at + 1 :]]
        self._owned.clear()
        self.arrangement += 1


def _shape(optimizer: Optimizer) -> list[tuple[int, ...]]:
    """Return what shows that an optimizer got other parameters: how many, the first and the last.

    A program that densifies puts a longer tensor in the place of one, group by group.
    """
    lists = (group["params"] for group in optimizer.param_groups)
    return [(len(p), id(p[0]), id(p[-1])) if p else (0,) for p in lists]


def shapes_of(parameters: Any) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of parameters in an order that does not depend on theirs."""
    return tuple(sorted(_same(tuple(parameter.shape)) for parameter in parameters))


@lru_cache
def _same(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return one object for equal shapes: a large model has thousands, and few are different."""
    return shape
