"""A DDP model that the engine was not told of, found by the parameters that they share."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from zerograd.engine.accounts import Accounts


def refuse_unnamed(accounts: Accounts) -> None:
    """Raise if ranks train these parameters together, and the engine would count alone."""
    if not _is_one_of_several() or _shared(accounts) is None:
        return
    gc.collect()  # a wrapper that is no longer used may live until now
    parameter = _shared(accounts)
    if parameter is not None:
        raise ArgumentError(
            f"{accounts.name(parameter)} belongs to a DistributedDataParallel model that this "
            "engine was not told of, so that it would count the items of one rank and reduce at "
            "every micro-batch; pass that model as model=, and make the engine after wrapping"
        )


def _is_one_of_several() -> bool:
    """Answer without importing torch.distributed: a single process need not."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return False
    return bool(distributed.get_world_size() > 1)


def _shared(accounts: Accounts) -> Any:
    """Return the first parameter that a living wrapper reduces too.

    Its hooks are C++ and invisible, and torch keeps no list of wrappers: Python's own has them.
    """
    from torch.nn.parallel import DistributedDataParallel

    from zerograd.hooks.ranks import reduced_by

    everything = gc.get_objects()
    # By type: `isinstance` would wake lazy modules and proxies, and cost a tenth of a second.
    kinds = {
        kind for kind in set(map(type, everything)) if issubclass(kind, DistributedDataParallel)
    }
    living = [one for one in everything if type(one) in kinds] if kinds else []
    several = [one for one in living if one.process_group.size() > 1]
    reduced = {id(p) for one in several for p in reduced_by(one)}
    return next((p for p in accounts.parameters if p.requires_grad and id(p) in reduced), None)
