import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F


def main(rank, world, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    torch.manual_seed(rank)
    for step in range(8):
        opt.zero_grad()
        for micro in range(3):
            model.set_requires_gradient_sync(micro == 2)
            x, y = torch.randn(4, 8), torch.randint(0, 4, (4,))
            (F.cross_entropy(model(x), y) / 3).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
    dist.barrier()


if __name__ == "__main__":
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(2, os.path.join(folder, "store")), nprocs=2, start_method="fork")
