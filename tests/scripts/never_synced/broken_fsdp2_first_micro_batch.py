import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

ACCUM = 2


def main(rank, path):
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 2))
    fully_shard(model, mesh=mesh)
    optim = torch.optim.SGD(model.parameters(), lr=0.1)

    torch.manual_seed(rank)
    for i in range(8):
        model.set_requires_gradient_sync(i % ACCUM == 0)  # ZG501 watch
        x = torch.randn(4, 8)
        loss = model(x).square().mean() / ACCUM
        loss.backward()
        if i % ACCUM == ACCUM - 1:
            optim.step()
            optim.zero_grad()
    if rank == 0:
        print("done", i + 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(os.path.join(folder, "f"),), nprocs=2, start_method="fork")
