import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def compute_loss(net, batch):
    features, labels = batch
    logits = net(features)  # ZG503 lint watch
    return nn.functional.cross_entropy(logits, labels)


def worker(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(11)
    net = nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 3))
    parallel_net = DistributedDataParallel(net)
    optimizer = torch.optim.AdamW(parallel_net.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
    torch.manual_seed(rank)
    for _ in range(6):
        batch = torch.randn(8, 6), torch.randint(0, 3, (8,))
        optimizer.zero_grad()
        compute_loss(net, batch).backward()
        optimizer.step()
        scheduler.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
