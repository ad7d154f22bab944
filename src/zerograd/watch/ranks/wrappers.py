"""DDP wrappers: which backward each has prepared to reduce, and who turned that off.

DDP decides in *forward*: one with reductions on prepares the reducer for the next backward, and
that backward uses the preparation up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from zerograd.hooks import torch_parts as capabilities
from zerograd.watch.gradients.registry import shapes_of
from zerograd.watch.ranks.sync import ALONE, Sync

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor
    from torch.nn import Module

    from zerograd.source.lines import CallSite
    from zerograd.watch.gradients.registry import ObjectNumbers


class WatchedWrapper:
    """One DDP wrapper, as far as its reductions go."""

    def __init__(self, module: Any, number: int) -> None:
        self.module = ref(module)
        self.number = number
        """The same on every rank: building a wrapper is a collective of its own."""
        self.many = module.process_group.size() > 1
        self.reduced: bool | None = None
        """The last deposit that its forward prepared, or failed to, was reduced."""
        self.bare_call: CallSite | None = None
        """Where the bare module was called since the last backward."""
        self.ever_called = False
        self.copy_call: CallSite | None = None
        """Where a bare copy of its module was called, before it was ever called itself."""
        self.calls = (WrapperCall(self, prepared=False), WrapperCall(self, prepared=True))
        """One object for every forward of a kind."""
        self._called = self._prepared = False
        self._off: CallSite | None = None
        self._on: CallSite | None = None
        self._ever_joined = False

    def joins(self) -> bool:
        """Whether ranks with fewer batches wait for the others, by `Join` or `model.join()`.

        Then each makes its own number of steps, and the same number is not the same step.
        """
        module = self.module()
        if module is not None:
            config = capabilities.read(module, "_join_config")
            self._ever_joined |= config is None or config.enable
        return self._ever_joined

    @property
    def is_calm(self) -> bool:
        """Whether its last deposit was reduced, if there was one, and nothing has happened since.

        Then the next deposit that its forward prepares leaves it as it is.
        """
        waits = self._called or self._prepared or self._on or self.bare_call
        return self.reduced is not False and not waits

    def flag(self, place: CallSite, *, on: bool) -> None:
        """Note that reductions are turned on or off."""
        if on:
            self._on = place
        else:
            self._off, self._on = place, None

    def call(self, *, prepared: bool) -> None:
        """Note a forward with gradients."""
        self._called = True
        self._prepared |= prepared
        self._on = None

    def resembles(self, module: Module) -> bool:
        """Whether this may be a copy of its module: as many parameters, of the same shapes."""
        own = self.module()
        return own is not None and shapes_of(module.parameters()) == shapes_of(own.parameters())

    def deposit(self) -> Sync:
        """Return what becomes of the backward that has just reached its parameters."""
        sync = self._verdict() if self.many else ALONE
        if sync.synced is not None or self._prepared:
            self.reduced = self._prepared
        self._called = self._prepared = False
        self._on = self.bare_call = None
        return sync

    def _verdict(self) -> Sync:
        if self._prepared:
            # A static graph's first backward must be reduced: nothing to complain of.
            module = self.module()
            return Sync(synced=None if module is None or module.static_graph else True)
        if self._called:
            # A flag that was set only after the forward is the one that came too late.
            return Sync(synced=False, place=self._on or self._off)
        if self.bare_call is not None:
            return Sync(synced=False, bypass=self.bare_call)
        return ALONE


class WrapperCall(NamedTuple):
    """A forward of a wrapper, with gradients."""

    wrapper: WatchedWrapper
    prepared: bool


class Wrappers:
    """All wrappers of a process."""

    def __init__(
        self, parameters: ObjectNumbers, calls: list[WrapperCall], suspicion: Callable[[], None]
    ) -> None:
        self._parameters = parameters
        self._calls = calls
        """The forwards since the last deposit, not yet noted by their wrappers: mostly the
        deposit is answered from memory, and they are forgotten."""
        self._suspicion = suspicion
        """Called when a backward came past a wrapper."""
        self._known: list[WatchedWrapper] = []
        self.by_address: dict[int, WatchedWrapper] = {}
        self._reached: dict[frozenset[int], tuple[WatchedWrapper, ...]] = {}

    def __iter__(self) -> Iterator[WatchedWrapper]:
        return iter(self._known)

    @property
    def are_calm(self) -> bool:
        """Whether all that still exist are."""
        return all(wrapper.is_calm for wrapper in self._known if wrapper.module() is not None)

    def find(self, module: Any) -> WatchedWrapper | None:
        """Return what is known of a wrapper."""
        known = self.by_address.get(id(module))
        return known if known is not None and known.module() is module else None

    def add(self, module: Any) -> WatchedWrapper:
        """Take in a new wrapper."""
        wrapper = WatchedWrapper(module, len(self._known))
        self._known.append(wrapper)
        self.by_address[id(module)] = wrapper
        self._reached.clear()
        return wrapper

    def note_calls(self) -> None:
        """Let every wrapper know of its forwards."""
        calls = self._calls[:]
        del self._calls[: len(calls)]
        for wrapper, prepared in calls:
            wrapper.call(prepared=prepared)

    def sync(self, keys: frozenset[int]) -> Sync:
        """Return what becomes of a backward that reached these parameters."""
        self.note_calls()
        reached = self._reached.get(keys)
        if reached is None:
            reached = self._reached[keys] = tuple(self._reached_by(keys))
        found = {self._deposit(wrapper) for wrapper in reached if wrapper.module() is not None}
        if not found:
            return ALONE
        if {sync.synced for sync in found} >= {True, False}:
            # A critic under `no_sync` while its generator learns: which of them is spent?
            return ALONE
        return max(found, key=lambda sync: sync.synced is not None)

    def _deposit(self, wrapper: WatchedWrapper) -> Sync:
        sync = wrapper.deposit()
        if sync is ALONE and wrapper.many:
            self._suspicion()
        return sync

    def _reached_by(self, keys: frozenset[int]) -> Iterator[WatchedWrapper]:
        for wrapper in self._known:
            module = wrapper.module()
            own: Iterator[Tensor] = module.module.parameters() if module is not None else iter(())
            if any(self._parameters.number(parameter) in keys for parameter in own):
                yield wrapper
