import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Trainer:
    def __init__(self, model, dataset, rank, world_size):
        self.rank = rank
        self.model = DistributedDataParallel(model)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-2)
        self.sampler = DistributedSampler(dataset, world_size, rank)
        self.loader = DataLoader(dataset, batch_size=8, sampler=self.sampler)

    def _run_batch(self, source, targets):
        self.optimizer.zero_grad()
        output = self.model.module(source)  # ZG503 lint watch
        loss = nn.functional.cross_entropy(output, targets)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def train(self, max_epochs):
        for epoch in range(max_epochs):
            self.sampler.set_epoch(epoch)
            losses = [self._run_batch(source, targets) for source, targets in self.loader]
            print(f"[{self.rank}] epoch {epoch} steps {len(losses)}", flush=True)


def main(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(4)
    dataset = TensorDataset(torch.randn(64, 20), torch.randint(0, 5, (64,)))
    Trainer(nn.Linear(20, 5), dataset, rank, 2).train(max_epochs=2)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
