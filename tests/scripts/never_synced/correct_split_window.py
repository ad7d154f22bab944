import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

# torchrun sets these; a plain `python` run is a world of one
os.environ.setdefault("RANK", "0")
os.environ.setdefault("WORLD_SIZE", "1")
rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
store = dist.HashStore() if world_size == 1 else None
dist.init_process_group("gloo", store=store, rank=rank, world_size=world_size)

torch.manual_seed(0)
ddp_model = DDP(nn.GRU(4, 8, batch_first=True))
optimizer = torch.optim.RMSprop(ddp_model.parameters(), lr=1e-3)

for step in range(3):
    batches = [torch.randn(2, 5, 4) for _ in range(4)]
    with ddp_model.no_sync():
        for batch in batches[:-1]:
            out, _ = ddp_model(batch)
            (out.square().mean() / len(batches)).backward()
    out, _ = ddp_model(batches[-1])
    (out.square().mean() / len(batches)).backward()
    optimizer.step()
    optimizer.zero_grad()

print("ok")
