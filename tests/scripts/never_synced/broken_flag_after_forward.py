import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self, rank, micro_steps=3):
        torch.manual_seed(7)
        self.rank = rank
        self.micro_steps = micro_steps
        self.model = DDP(nn.Sequential(nn.Embedding(20, 8), nn.Flatten(), nn.Linear(32, 20)))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4)
        self.criterion = nn.CrossEntropyLoss()
        self.generator = torch.Generator().manual_seed(rank)

    def get_batch(self):
        tokens = torch.randint(0, 20, (6, 5), generator=self.generator)
        return tokens[:, :4], tokens[:, 4]

    def train_step(self):
        for micro_step in range(self.micro_steps):
            x, y = self.get_batch()
            logits = self.model(x)
            loss = self.criterion(logits, y) / self.micro_steps
            self.model.require_backward_grad_sync = micro_step == self.micro_steps - 1  # ZG501 lint watch
            loss.backward()
            self.model.require_backward_grad_sync = False
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.item() * self.micro_steps

    def fit(self, steps):
        self.model.require_backward_grad_sync = False
        for step in range(steps):
            loss = self.train_step()
            if self.rank == 0:
                print(f"iter {step}: loss {loss:.2f}")


def run(rank, store):
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=2)
    Trainer(rank).fit(4)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tmp:
        mp.start_processes(run, args=(os.path.join(tmp, "rdzv"),), nprocs=2, start_method="fork")
