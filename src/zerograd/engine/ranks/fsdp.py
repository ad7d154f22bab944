"""`fully_shard` (FSDP2): ranks hold shards, and unreduced sums lie on private tensors."""

from __future__ import annotations

import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from zerograd.engine.refusals import refused
from zerograd.errors import ArgumentError
from zerograd.hooks.shards import (
    PARTIAL,
    WHOLE,
    groups_of,
    private_layouts,
    private_sums,
    sharding_class,
    was_gathered,
)
from zerograd.hooks.torch_parts import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor
    from torch.distributed import ProcessGroup

    from zerograd.engine.books import EngineBooks
    from zerograd.engine.ranks.channel import RankChannel


class Sharded:
    """An FSDP2 model: a reduced backward leaves shards in `.grad`, an unreduced one nothing."""

    def __init__(self, model: Any, *, scatters: bool = False) -> None:
        self._model = model
        self._scatters = scatters
        """Every backward reduces among the shards of a replica, the closing one all replicas."""

        mesh = fsdp_groups(model)[0].mesh_info.mesh
        self.groups: tuple[ProcessGroup, ...] = tuple(
            mesh.get_group(dimension) for dimension in range(mesh.ndim)
        )
        self.ranks: list[int] = mesh.mesh.flatten().tolist()
        self.size = len(self.ranks)
        self._ids = frozenset(map(id, self._model.parameters()))
        self.holders = _holders(self._model)
        """The groups whose ranks, one group after the other, hold all parts of the model."""

        self.device = next(self._model.parameters()).device
        self._reduces = True
        self._pending = False
        """Deposits lie on private tensors."""

        model.set_requires_gradient_sync(True)
        self.release = weakref.finalize(self, model.set_requires_gradient_sync, True)
        self.release.atexit = False

    def refuse_unsound(self) -> None:
        """Raise where gradients are not averaged over all ranks of one mesh size."""
        groups = fsdp_groups(self._model)
        if self._scatters:  # a window that is thrown away must be found
            for group in groups:
                need(group, PARTIAL)
        if any(getattr(group, "gradient_divide_factor", None) is not None for group in groups):
            raise ArgumentError(
                "set_gradient_divide_factor() changes the average that the mean over items needs; "
                "remove it, and give items= to gradients.backward()"
            )
        if any(group.mesh_info.mesh.size() != self.size for group in groups):
            raise ArgumentError(
                "parts of this model are sharded over meshes of different sizes, so that one count "
                "of ranks cannot serve all; shard them over as many ranks"
            )

    def prepare(self, *, synced: bool, alone: bool) -> None:
        """Set what FSDP2 reads in backward; every forward communicates anyway."""
        del alone
        if synced is self._reduces:
            return
        self._reduces = synced
        if self._scatters:
            self._model.set_requires_all_reduce(synced)
        else:
            self._model.set_requires_gradient_sync(synced)

    def reduces(self) -> bool:
        """Whether backwards are reduced now."""
        return self._reduces

    def reduced(self) -> bool:
        """Whether nothing lies on private tensors."""
        return not self._pending

    def is_bypassed(self) -> bool:
        """Never: its hooks are on the modules themselves."""
        return False

    def deposited(self) -> None:
        """Remember where the sum is."""
        self._pending = not self._reduces

    def fingerprint(self) -> None:
        """Ranks hold different shards: nothing is to be the same."""

    def holds(self, parameter: Tensor) -> bool:
        """Whether this is one of the model's shards."""
        return id(parameter) in self._ids

    def leaves(self) -> list[Tensor]:
        """Return the whole parameters, which backwards deposit into."""
        return _unsharded(self._model)

    @contextmanager
    def emptied(self) -> Iterator[None]:
        """Replace gradients by zeros before they are deposited: 0 times NaN would not be 0.

        All ranks must scatter the same parameters, so that none may be missing.
        """
        leaves: list[Any] = [one for one in self.leaves() if one.requires_grad]
        handles = [leaf.register_hook(torch.zeros_like) for leaf in leaves]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def reduce(self, books: EngineBooks, channel: RankChannel) -> None:
        """Refuse: FSDP2 reduces inside a backward or not at all."""
        del channel
        raise refused("closes-unreduced", micro_batches=books.window.micro_batches)

    def set_aside(self, books: EngineBooks) -> Callable[[], None]:
        """Empty the private tensors until another engine's backward is over."""
        del books
        groups = fsdp_groups(self._model)
        kept = [*private_sums(groups), *private_layouts(groups)]
        whole = [(leaf, leaf.grad) for leaf in _unsharded(self._model)]

        def put_back() -> None:
            for holder, name, held in kept:
                setattr(holder, name, held)
            for leaf, held in whole:
                leaf.grad = held

        self._empty()
        return put_back

    def forget(self) -> None:
        """Let go of the private sums."""
        if not self._pending:
            return
        self._pending = False
        self._empty()

    def _empty(self) -> None:
        for holder, name, _ in private_sums(fsdp_groups(self._model)):
            setattr(holder, name, None)
        for leaf in _unsharded(self._model):
            leaf.grad = None

    def refuse_saving(self) -> None:
        """Raise in a window whose sum is private."""
        if self._pending:
            raise refused("sum-out-of-reach")


def fsdp_groups(model: Any) -> list[Any]:
    """Return FSDP2's parameter groups: torch offers no public way to an unreduced sum."""
    kind = sharding_class()
    asked = [need(m, "_get_fsdp_state") for m in model.modules() if isinstance(m, kind)]
    return [group for ask in asked for group in groups_of(ask(), need)]


def has_replicas(model: Any) -> bool:
    """Whether the model is sharded over a part of its mesh and replicated over the rest."""
    return all(group.mesh_info.mesh.ndim > 1 for group in fsdp_groups(model))


def _holders(model: Any) -> list[ProcessGroup]:
    """Return the groups of all meshes that parameters lie on, in the order of the parameters."""
    meshes = dict.fromkeys(p.device_mesh for p in model.parameters() if hasattr(p, "device_mesh"))
    return [mesh.get_group(dimension) for mesh in meshes for dimension in range(mesh.ndim)]


def _unsharded(model: Any) -> list[Tensor]:
    """Return the whole parameters that backwards deposit into; none before the first forward."""
    parameters = [parameter for group in fsdp_groups(model) for parameter in group.fsdp_params]
    return [need(p, WHOLE) for p in parameters if was_gathered(p)]
