import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset


def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        losses = [nn.functional.mse_loss(model(x), y).item() for x, y in loader]
    model.train()
    return sum(losses) / len(losses)


def worker(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DDP(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.9)
    scheduler = ReduceLROnPlateau(optimizer, patience=0, factor=0.5)
    x = torch.randn(32, 3) * (1.0 if rank == 0 else 3.0)
    y = x @ torch.tensor([[1.0], [2.0], [3.0]]) + (0 if rank == 0 else 5)
    loader = DataLoader(TensorDataset(x, y), batch_size=8)
    for epoch in range(6):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = nn.functional.smooth_l1_loss(model(inputs), targets)
            loss.backward()
            optimizer.step()  # ZG502 watch
        scheduler.step(evaluate(model.module, loader))
    print(rank, optimizer.param_groups[0]["lr"], flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
