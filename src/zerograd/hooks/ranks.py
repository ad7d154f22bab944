"""Hear what a process does with other ranks: DDP's wrappers, FSDP2's flag, manual reductions."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import torch
from torch import distributed

from zerograd.hooks import channels
from zerograd.hooks.patch_kinds import Absent, Attribute, ClosureCell, hidden_from_dynamo
from zerograd.hooks.shards import sharding_class
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.hooks.channels import Channel
    from zerograd.hooks.patch_kinds import Patch

REDUCING = ("all_reduce", "all_reduce_coalesced", "reduce")
"""The collectives by which programs average gradients or parameters themselves."""

WRITTEN = ("reducer", "require_backward_grad_sync", "require_forward_param_sync")
"""What we hear DDP assign to itself."""


@record()
class Addition:
    """An attribute that a class does not have of its own, until it is taken away again."""

    owner: Any
    name: str
    ours: Any

    def install(self) -> None:
        """Add it."""
        setattr(self.owner, self.name, hidden_from_dynamo(self.ours))

    def remove(self) -> None:
        """Leave the class as it was found."""
        delattr(self.owner, self.name)


@record()
class Arriving:
    """A patch of what is not imported yet: tried when installed, and again when asked."""

    make: Callable[[], Patch | None]
    wanted: bool = False
    patch: Patch | None = None

    def install(self) -> None:
        """Put it in place now, or as soon as `arrive` finds that it can be."""
        self.arrive(wanted=True)
        self.wanted = True

    def arrive(self, *, wanted: bool = False) -> None:
        """Put it in place if it is wanted and possible by now."""
        if (wanted or self.wanted) and self.patch is None:
            patch = self.make()
            if patch is not None:
                patch.install()
                self.patch = patch

    def remove(self) -> None:
        """Leave torch as it was found."""
        self.wanted = False
        if self.patch is not None:
            self.patch.remove()
            self.patch = None


def _set_attribute(self: Any, name: str, value: Any) -> None:
    """Be `Module.__setattr__` for DDP wrappers, and tell of the three attributes that matter.

    DDP sets `reducer` when it is built or copied, and `require_forward_param_sync` at the end of
    each forward: true if it prepared the reduction of the backward to come. So we hear of its
    forwards without a wrapper around them, which `torch.compile` would trace through.
    """
    if name == "require_forward_param_sync":
        # `Module.__setattr__` asks first for a parameter, a module and a buffer of this name,
        # which takes longer than we do: so a forward is heard for nothing.
        attributes = self.__dict__
        attributes[name] = value
        if "reducer" in attributes and torch.is_grad_enabled():
            channels.wrapper_called.tell(self, bool(value))
        return
    torch.nn.Module.__setattr__(self, name, value)
    if name == "require_backward_grad_sync":
        if "reducer" in self.__dict__:
            channels.sync_flagged.tell(self, bool(value))
    elif name == "reducer":
        channels.wrapped.tell(self)


def _flagging(original: Any) -> Any:
    """Wrap `FSDPModule.set_requires_gradient_sync`."""

    @wraps(original)
    def set_requires_gradient_sync(self: Any, flag: bool, *args: Any, **kwargs: Any) -> Any:
        result = original(self, flag, *args, **kwargs)
        channels.sync_flagged.tell(self, bool(flag))
        return result

    return set_requires_gradient_sync


def _reducing(original: Any) -> Any:
    """Wrap a collective that reduces in place."""

    @wraps(original)
    def reduce(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        group = next((one for one in given if isinstance(one, distributed.ProcessGroup)), None)
        lists = [one if isinstance(one, list | tuple) else (one,) for one in given]
        tensors = [one for listed in lists for one in listed if isinstance(one, torch.Tensor)]
        channels.reduced_by_hand.tell(tensors, group)
        return original(*args, **kwargs)

    return reduce


def _flag_of_shards() -> Patch | None:
    owner = sharding_class()
    return owner and Attribute(owner, "set_requires_gradient_sync", _flagging)


def reduced_by(model: Any) -> list[Any]:
    """Return the parameters that a DDP wrapper reduces."""
    own = getattr(model, "_module_parameters", None)
    if own is None:
        ignored = getattr(model, "parameters_to_ignore", ())
        own = [p for name, p in model.module.named_parameters() if name not in ignored]
    return list(own)


def _of_wrapper(kind: Any) -> Patch:
    codes = [one.__code__ for one in vars(kind).values() if hasattr(one, "__code__")]
    written = {name for code in codes for name in code.co_names}
    if not written.issuperset(WRITTEN):
        return Absent(f"DistributedDataParallel.{sorted({*WRITTEN} - written)[0]}")
    return Addition(kind, "__setattr__", _set_attribute)


FLAG_OF_SHARDS = Arriving(_flag_of_shards)


def patches() -> tuple[tuple[tuple[Channel, ...], tuple[Patch, ...]], ...]:
    """Return which channels each group of patches speaks to."""
    if not distributed.is_available():
        return ()
    from torch.nn.parallel import DistributedDataParallel

    told = (channels.wrapped, channels.wrapper_called, channels.sync_flagged)
    collectives = [getattr(distributed, name) for name in REDUCING if hasattr(distributed, name)]
    return (
        (told, (_of_wrapper(DistributedDataParallel),)),
        ((channels.sync_flagged,), (FLAG_OF_SHARDS,)),
        (
            (channels.reduced_by_hand,),
            tuple(ClosureCell(collective, "func", _reducing) for collective in collectives),
        ),
    )
