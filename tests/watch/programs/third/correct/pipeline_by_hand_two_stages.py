import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(84)
stages = [nn.Sequential(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 3)]
optimizers = [torch.optim.SGD(s.parameters(), 0.1) for s in stages]
CHUNKS = 4
for step in range(10):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    for o in optimizers:
        o.zero_grad()
    stash = []
    for cx, cy in zip(x.chunk(CHUNKS), y.chunk(CHUNKS)):
        first = stages[0](cx)
        received = first.detach().requires_grad_()
        out = stages[1](received)
        stash.append((first, received, F.cross_entropy(out, cy) / CHUNKS))
    for first, received, loss in reversed(stash):
        loss.backward()
        torch.autograd.backward(first, grad_tensors=received.grad)
    for o in optimizers:
        o.step()
