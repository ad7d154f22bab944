import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(59)
train = TensorDataset(torch.randn(24, 4), torch.randint(0, 2, (24,)))
model = nn.Linear(4, 2)
opt = torch.optim.Adam(model.parameters(), 1e-2)
tx, ty = torch.randn(1, 4), torch.tensor([0])
influence = torch.zeros(24)
for epoch in range(4):
    for x, y in DataLoader(train, batch_size=8, shuffle=True):
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
    model.eval()
    model.zero_grad()
    F.cross_entropy(model(tx), ty).backward()
    reference = [p.grad.clone() for p in model.parameters()]
    for i in range(24):
        x, y = train[i]
        model.zero_grad()
        F.cross_entropy(model(x[None]), y[None]).backward()
        influence[i] += 1e-2 * sum((p.grad * r).sum() for p, r in zip(model.parameters(), reference))
    model.train()
