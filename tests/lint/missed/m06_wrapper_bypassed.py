# expected: wrapper-bypassed at m(x) (minimind PR 854)
import torch
from torch.nn.parallel import DistributedDataParallel
def train(model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    model = DistributedDataParallel(model)
    for x in loader:
        m = model.module if isinstance(model, DistributedDataParallel) else model
        loss = m(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
