"""What one of two ranks does under watch while the other is not watched: both must get through."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard, distribute_tensor

from zerograd.watch.process.session import Session


def train_sharded(watched_rank: int) -> float:
    """Train on distributed tensors, a backward included, watched on one rank only."""
    session = Session() if torch.distributed.get_rank() == watched_rank else None
    if session is not None:
        session.start()
    mesh = init_device_mesh("cpu", (torch.distributed.get_world_size(),))
    whole = torch.arange(6.0).reshape(3, 2)
    weight = nn.Parameter(distribute_tensor(whole, mesh, [Shard(0)]))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(3):
        weight.grad = distribute_tensor(torch.ones(3, 2), mesh, [Shard(0)])
        optimizer.step()
        optimizer.zero_grad()
        torch.autograd.backward((weight * weight).sum())
        optimizer.step()
        optimizer.zero_grad()
    if session is not None:
        session.stop(None)
        assert session.internal_error is None
    trained = weight.detach()
    assert isinstance(trained, DTensor)
    return float(trained.full_tensor().sum())
