"""FSDP2's own books, where each torch keeps them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from zerograd.hooks import torch_parts as capabilities

if TYPE_CHECKING:
    from collections.abc import Callable

HOMES = ("torch.distributed.fsdp", "torch.distributed._composable.fsdp")
"""Where FSDP2 is; torch 2.5 has it in the second place only."""

PARTIAL = "_partial_reduce_output"
"""Of a group: what was reduced among the shards of a replica, and not yet over all."""

LAYOUT = "_partial_reduce_output_layout"
"""Of a group, since torch 2.15: where each parameter lies in it."""

WHOLE = "_unsharded_param"
"""Of a parameter, since its first forward: the leaf that backwards deposit into."""

ACCUMULATED = "unsharded_accumulated_grad"
"""Of a parameter, until torch 2.14: its sum in the type of the reduction. Since 2.15 that sum is
the `.grad` of the whole parameter, and this a property that nobody can set."""


def sharding_class() -> Any:
    """Return the class that `fully_shard` adds to a module; None where nobody imported it."""
    modules = (sys.modules.get(name) for name in HOMES)
    return next((kind for one in modules if (kind := getattr(one, "FSDPModule", None))), None)


def groups_of(state: Any, ask: Callable[[Any, str], Any] = capabilities.read) -> list[Any]:
    """Return the parameter groups of a module's FSDP2 state: a list of them, or only one.

    `ask` is told where there is neither: `watch` goes on without, the engine refuses.
    """
    groups = getattr(state, "_fsdp_param_groups", None)
    if groups is not None:
        return list(groups)
    group = ask(state, "_fsdp_param_group")
    return [] if group is None else [group]


def was_gathered(parameter: Any) -> bool:
    """Whether a forward has gathered a parameter of FSDP2: it has no whole one before.

    Where torch calls the whole one otherwise, what was gathered still lies there.
    """
    return hasattr(parameter, WHOLE) or bool(getattr(parameter, "all_gather_outputs", True))


def private_sums(groups: list[Any]) -> list[tuple[Any, str, Any]]:
    """Return what FSDP2 keeps beside `.grad`: holder, attribute and value of each unreduced sum."""
    parameters = [parameter for group in groups for parameter in group.fsdp_params]
    return [*_held(groups, PARTIAL), *_held(parameters, ACCUMULATED)]


def private_layouts(groups: list[Any]) -> list[tuple[Any, str, Any]]:
    """Return, in the same form, how partial sums are laid out where torch remembers it."""
    return _held(groups, LAYOUT)


def _held(holders: list[Any], name: str) -> list[tuple[Any, str, Any]]:
    return [(one, name, vars(one)[name]) for one in holders if name in vars(one)]
