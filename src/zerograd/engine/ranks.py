"""Models over several processes: recognised, and refused until the engine counts over ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.nn import Module

from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor

SHARDED = frozenset({"FSDPModule", "FullyShardedDataParallel"})
REPLICATED = frozenset({"DistributedDataParallel"})


def refuse_ranks(model: Any, parameters: Iterable[Tensor], *, comm_hook_averages: bool) -> None:
    """Raise for a model whose gradients are reduced over ranks."""
    if model is None:
        if comm_hook_averages:
            raise ArgumentError(
                "comm_hook_averages=True is about a DistributedDataParallel model's hook; "
                "pass that model as model="
            )
    elif not isinstance(model, Module):
        raise ArgumentError(f"model is a torch.nn.Module, got {type(model).__name__}")
    kinds = {kind.__name__ for kind in type(model).__mro__}
    sharded = any(type(parameter).__name__ == "DTensor" for parameter in parameters)
    if sharded or kinds & (SHARDED | REPLICATED):
        raise ArgumentError(
            "the engine does not yet count items over ranks, so the mean of a distributed model "
            "would be wrong; run it in one process, on the bare module"
        )
