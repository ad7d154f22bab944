import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils import clip_grad_norm_


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(rank)
    model = DDP(nn.LSTM(4, 8, batch_first=True))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for step in range(6):
        x = torch.randn(4, 7, 4)
        out, _ = model(x)
        loss = (out[:, -1, :4] - x.mean(1)).square().sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        norm = clip_grad_norm_(model.parameters(), max_norm=0.1)
        if rank == 0:
            print(f"{step:3d} loss {loss.item():.3f} grad norm {norm:.3f}")
        optimizer.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
