import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from objective import elbo
from torch.nn.parallel import DistributedDataParallel as DDP
from vae import VAE


def main(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DDP(VAE())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    torch.manual_seed(rank)
    for it in range(5):
        batch = torch.rand(16, 12)
        loss = elbo(model, batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(it, f"{loss.item():.3f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
