"""FSDP2's own books, where each torch keeps them."""

from __future__ import annotations

import sys
from typing import Any

from zerograd.hooks import torch_parts as capabilities

HOMES = ("torch.distributed.fsdp", "torch.distributed._composable.fsdp")
"""Where FSDP2 is; torch 2.5 has it in the second place only."""


def sharding_class() -> Any:
    """Return the class that `fully_shard` adds to a module; None where nobody imported it."""
    modules = (sys.modules.get(name) for name in HOMES)
    return next((kind for one in modules if (kind := getattr(one, "FSDPModule", None))), None)


def groups_of(state: Any) -> list[Any]:
    """Return the parameter groups of a module's FSDP2 state: a list of them, or only one."""
    groups = getattr(state, "_fsdp_param_groups", None)
    if groups is not None:
        return list(groups)
    group = capabilities.read(state, "_fsdp_param_group")
    return [] if group is None else [group]
