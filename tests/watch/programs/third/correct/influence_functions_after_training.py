import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(58)
data = TensorDataset(torch.randn(24, 4), torch.randint(0, 2, (24,)))
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), 0.1, weight_decay=1e-2)
for epoch in range(3):
    for x, y in DataLoader(data, batch_size=8, shuffle=True):
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
params = list(model.parameters())


def flat(gs):
    return torch.cat([g.reshape(-1) for g in gs])


test = flat(torch.autograd.grad(F.cross_entropy(model(torch.randn(1, 4)), torch.tensor([1])), params))
estimate = test.clone()
for x, y in DataLoader(data, batch_size=8):
    g = flat(torch.autograd.grad(F.cross_entropy(model(x), y), params, create_graph=True))
    hv = flat(torch.autograd.grad(g @ estimate.detach(), params))
    estimate = test + 0.99 * estimate - hv / 10
scores = []
for x, y in DataLoader(data, batch_size=1):
    model.zero_grad()
    F.cross_entropy(model(x), y).backward()
    scores.append(-(flat([p.grad for p in params]) @ estimate).item())
