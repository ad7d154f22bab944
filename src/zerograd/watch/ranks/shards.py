"""FSDP2 modules whose gradients wait unreduced on every rank while a step is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from zerograd.hooks import torch_parts as capabilities
from zerograd.hooks.ranks import FLAG_OF_SHARDS
from zerograd.hooks.shards import ACCUMULATED, WHOLE, groups_of, was_gathered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Optimizer

    from zerograd.source.lines import CallSite


class Shards:
    """The modules that were told not to reduce, with the lines that told them."""

    def __init__(self) -> None:
        self.exist = False
        """An optimizer holds shards."""
        self.flagged: WeakKeyDictionary[Module, CallSite] = WeakKeyDictionary()

    def expect(self, optimizer: Optimizer) -> None:
        """Listen to FSDP2's flag once an optimizer holds shards: then it is imported."""
        parameters = (p for group in optimizer.param_groups for p in group["params"])
        if not self.exist and any(is_sharded(parameter) for parameter in parameters):
            self.exist = True
            FLAG_OF_SHARDS.arrive()

    def flag(self, module: Module, place: CallSite, *, on: bool) -> None:
        """Note that reductions are turned on or off."""
        if not on:
            self.flagged[module] = place

    def waiting(self, parameters: Iterable[Tensor]) -> CallSite | None:
        """Return the flag that keeps deposits from a step of these parameters, if one does."""
        own = {id(parameter) for parameter in parameters}
        for module, place in self.flagged.items():
            if any(id(sharded) in own for sharded in _waiting(module)):
                return place
        return None


def is_sharded(parameter: Any) -> bool:
    """Whether each rank holds another part of it."""
    return hasattr(parameter, "_local_tensor")


def _waiting(module: Module) -> Iterator[Any]:
    """Yield the shards whose whole gradient was kept on this rank instead of being reduced."""
    capabilities.read(module, "_get_fsdp_state")
    states = (getattr(part, "_get_fsdp_state", None) for part in module.modules())
    for state in (state() for state in states if state is not None):
        for group in groups_of(state):
            for parameter in group.fsdp_params:
                if was_gathered(parameter) and _keeps_whole_gradient(parameter):
                    yield parameter.sharded_param


def _keeps_whole_gradient(parameter: Any) -> bool:
    whole = capabilities.read(parameter, WHOLE)
    return getattr(whole, "grad", None) is not None or (
        getattr(parameter, ACCUMULATED, None) is not None
    )
