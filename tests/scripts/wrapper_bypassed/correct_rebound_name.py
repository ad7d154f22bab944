import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import copy

from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 6)
        self.head = nn.Linear(6, 2)

    def forward(self, x, y=None):
        logits = self.head(torch.relu(self.body(x)))
        return logits if y is None else nn.functional.cross_entropy(logits, y)


def main(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = Net()
    ema = copy.deepcopy(model).requires_grad_(False)
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(rank)
    for _ in range(4):
        x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
        loss = model(x, y)
        penalty = 1e-3 * sum(w.square().sum() for w in model.module.head.parameters())
        optimizer.zero_grad()
        (loss + penalty).backward()
        optimizer.step()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), model.module.parameters()):
                e.lerp_(p, 0.01)
    if rank == 0:
        with torch.inference_mode():
            print(model.module(x).shape, ema(x).shape)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
