"""Skip what shards a model where this torch can shard on a GPU only."""

from __future__ import annotations

import pytest
from torch.distributed import fsdp

SHARDING = ("fsdp", "shard", "private_tensors")
"""What stands in the names of tests of FSDP2."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Torch 2.5, whose `torch.distributed.fsdp` has no FSDP2 yet, runs it on CUDA streams."""
    if hasattr(fsdp, "FSDPModule"):
        return
    needs_cuda = pytest.mark.skip(reason="FSDP2 of torch 2.5 needs CUDA")
    for item in items:
        if "engine/ranks" in item.path.as_posix() and any(word in item.name for word in SHARDING):
            item.add_marker(needs_cuda)
