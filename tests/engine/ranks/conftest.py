"""Skip what shards a model where this torch can shard on a GPU only."""

from __future__ import annotations

import pytest
import torch

SHARDING = ("fsdp", "shard", "private_tensors")
"""What stands in the names of tests of FSDP2."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """FSDP2 records events on streams, which those of a CPU cannot until torch 2.7."""
    if hasattr(torch.cpu.Stream, "record_event"):
        return
    needs_cuda = pytest.mark.skip(reason="FSDP2 of this torch needs CUDA")
    for item in items:
        if "engine/ranks" in item.path.as_posix() and any(word in item.name for word in SHARDING):
            item.add_marker(needs_cuda)
