import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def setup(rank, world_size, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world_size)


def wrap(model):
    return DistributedDataParallel(model)


def accumulate(model, loss_fn, micro_batches):
    total = 0.0
    for x, y in micro_batches:
        with model.no_sync():  # ZG501 lint watch
            loss = loss_fn(model(x), y)
            (loss / len(micro_batches)).backward()
        total += loss.item()
    return total / len(micro_batches)
