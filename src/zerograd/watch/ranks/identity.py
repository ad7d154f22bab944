"""Which rank this process is."""

from __future__ import annotations

import os
import sys

from zerograd.record import record


@record(frozen=True)
class Rank:
    """One process of a distributed run."""

    number: int
    world: int


def rank_here() -> Rank | None:
    """Return this process's rank: as it joined, or as torchrun numbered it; None for one alone."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return Rank(distributed.get_rank(), distributed.get_world_size())
    return rank_by_launcher()


def rank_by_launcher() -> Rank | None:
    """Return the rank that torchrun, or a launcher like it, has given to this process."""
    try:
        return Rank(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    except (KeyError, ValueError):
        return None
