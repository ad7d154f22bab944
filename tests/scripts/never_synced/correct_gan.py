import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    generator = DDP(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)))
    discriminator = DDP(nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)))
    opt_g = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    criterion = nn.BCEWithLogitsLoss()
    torch.manual_seed(rank)
    for _ in range(6):
        real, noise = torch.randn(8, 2) + 2, torch.randn(8, 4)
        opt_d.zero_grad()
        fake = generator(noise)
        scores = discriminator(torch.cat([real, fake.detach()]))
        criterion(scores, torch.cat([torch.ones(8, 1), torch.zeros(8, 1)])).backward()
        opt_d.step()
        opt_g.zero_grad()
        with discriminator.no_sync():
            criterion(discriminator(fake), torch.ones(8, 1)).backward()
        opt_g.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
