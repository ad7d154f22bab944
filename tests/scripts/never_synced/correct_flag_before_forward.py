import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

gradient_accumulation_steps = 5
grad_clip = 1.0
learning_rate = 6e-4


def train(ddp_rank, init_file):
    dist.init_process_group("gloo", init_method=f"file://{init_file}", rank=ddp_rank, world_size=2)
    torch.manual_seed(1337)
    model = nn.Sequential(nn.Embedding(32, 16), nn.Flatten(), nn.Linear(64, 32))
    model = DDP(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95))
    torch.manual_seed(1337 + ddp_rank)

    def get_batch():
        data = torch.randint(0, 32, (4, 5))
        return data[:, :-1], data[:, -1]

    X, Y = get_batch()
    for iter_num in range(3):
        for micro_step in range(gradient_accumulation_steps):
            model.require_backward_grad_sync = micro_step == gradient_accumulation_steps - 1
            logits = model(X)
            loss = nn.functional.cross_entropy(logits, Y)
            loss = loss / gradient_accumulation_steps
            X, Y = get_batch()
            loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if ddp_rank == 0:
            print(f"iter {iter_num}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tmp:
        mp.start_processes(train, args=(os.path.join(tmp, "init"),), nprocs=2, start_method="fork")
