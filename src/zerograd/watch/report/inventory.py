"""Count what lies in each optimizer's accounts, and name its parameters, for the recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.history import Parameter

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lifecycle.events import Parameters
    from zerograd.watch.gradients.registry import Registry

NAMED = 4000
"""Parameters that are named; more are not drawn."""

SETS = 256
"""Different sets of reached parameters that are kept apart before they are united."""

NONE: Parameters = frozenset()


class Inventory:
    """Answers by whole sets of parameters, which are the same objects at every step."""

    def __init__(self) -> None:
        self.registry: Registry | None = None
        self._owned: dict[Hashable, Parameters] = {}
        self._lying: dict[Hashable, Parameters] = {}
        self._owners: dict[Parameters, tuple[Hashable, ...]] = {}
        self._reached: set[Parameters] = set()
        self._named: dict[int, Parameter] = {}

    def own(self, owner: Hashable, parameters: Parameters) -> None:
        """Take in an optimizer, or what was added to one."""
        self._owned[owner] = self._owned.get(owner, NONE) | parameters
        self._owners.clear()

    def owners(self, parameters: Parameters) -> tuple[Hashable, ...]:
        """Return the optimizers that hold some of these."""
        found = self._owners.get(parameters)
        if found is None:
            found = tuple(
                owner for owner, owned in self._owned.items() if not owned.isdisjoint(parameters)
            )
            self._owners[parameters] = found
        return found

    def deposit(self, owner: Hashable, parameters: Parameters) -> None:
        """Note that something lies in these accounts."""
        lying = self._lying.get(owner, NONE)
        if lying != parameters:
            self._lying[owner] = lying | (parameters & self._owned[owner])

    def clear(self, owner: Hashable, parameters: Parameters) -> bool:
        """Empty these accounts; return whether nothing is left in the owner's."""
        left = self._lying.get(owner, NONE) - parameters
        self._lying[owner] = left
        return not left

    def forget(self, parameters: Parameters) -> None:
        """Leave out what no longer exists."""
        for owner, lying in self._lying.items():
            self._lying[owner] = lying - parameters

    def reached(self, parameters: Parameters) -> None:
        """Note that a backward deposited into these."""
        self._reached.add(parameters)
        if len(self._reached) > SETS:
            self._reached = {frozenset().union(*self._reached)}

    def called(self, module: Hashable) -> None:
        """Learn the names of a module's parameters while it is there."""
        called = self.registry.modules.thing(module) if self.registry is not None else None
        if called is None or len(self._named) > NAMED:
            return
        for name, parameter in called.named_parameters():
            number = self.registry.parameters.of(parameter)  # type: ignore[union-attr]  # asked above
            self._named[number] = Parameter(
                name=f"{type(called).__name__}.{name}",
                size=parameter.numel(),
                owned=False,
                reached=False,
                frozen=not parameter.requires_grad,
            )

    def parameters(self) -> tuple[Parameter, ...]:
        """Return every parameter that has a name, with what became of it."""
        owned = NONE.union(*self._owned.values())
        reached = NONE.union(*self._reached)
        return tuple(
            Parameter(
                name=known.name,
                size=known.size,
                owned=number in owned,
                reached=number in reached,
                frozen=known.frozen and number not in reached,
            )
            for number, known in self._named.items()
        )
