import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from parallel import accumulate, setup, wrap
from torch import nn


def train(rank, store, world_size=2):
    setup(rank, world_size, store)
    torch.manual_seed(0)
    model = wrap(nn.Linear(5, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    g = torch.Generator().manual_seed(rank + 1)
    for epoch in range(3):
        micro_batches = [(torch.randn(4, 5, generator=g), torch.randn(4, 1, generator=g)) for _ in range(4)]
        optimizer.zero_grad()
        loss = accumulate(model, nn.functional.mse_loss, micro_batches)
        optimizer.step()
        if rank == 0:
            print(epoch, round(loss, 3))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
