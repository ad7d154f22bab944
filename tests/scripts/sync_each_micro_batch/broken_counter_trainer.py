import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Trainer:
    def __init__(self, model, accum=2):
        self.model = DistributedDataParallel(model)
        self.optimizer = torch.optim.Adagrad(self.model.parameters(), lr=0.05)
        self.accum = accum
        self.pending = 0

    def on_batch(self, x, y):
        loss = nn.functional.l1_loss(self.model(x), y) / self.accum
        loss.backward()  # ZG504 lint watch
        self.pending += 1
        if self.pending == self.accum:
            self.optimizer.step()
            self.optimizer.zero_grad()
            self.pending = 0


def launch(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(rank)
    trainer = Trainer(nn.Linear(3, 1))
    for _ in range(8):
        x = torch.randn(6, 3)
        trainer.on_batch(x, x.sum(1, keepdim=True))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(launch, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
