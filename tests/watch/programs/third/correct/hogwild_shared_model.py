import torch
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional as F


def worker(rank, model):
    torch.manual_seed(rank)
    opt = torch.optim.SGD(model.parameters(), 0.05, momentum=0.5)
    for _ in range(6):
        x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()


if __name__ == "__main__":
    torch.manual_seed(96)
    model = nn.Linear(6, 3)
    model.share_memory()
    context = mp.get_context("fork")
    workers = [context.Process(target=worker, args=(r, model)) for r in range(2)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
