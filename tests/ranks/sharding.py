"""`fully_shard`, wherever this torch has it."""

from __future__ import annotations

try:
    from torch.distributed.fsdp import fully_shard
except ImportError:  # torch 2.5
    from torch.distributed._composable.fsdp import (  # type: ignore[attr-defined]
        fully_shard,
    )

__all__ = ["fully_shard"]
