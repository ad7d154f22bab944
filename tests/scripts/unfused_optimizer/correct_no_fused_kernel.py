import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 3)
y = x.sum(1, keepdim=True)
for make in (torch.optim.RMSprop, torch.optim.NAdam, torch.optim.Adamax, torch.optim.Rprop, torch.optim.ASGD):
    model = nn.Linear(3, 1)
    optimizer = make(model.parameters(), lr=1e-2)
    for _ in range(3):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

embedding = nn.Embedding(50, 4, sparse=True)
optimizer = torch.optim.SparseAdam(embedding.parameters(), lr=0.01)
for _ in range(3):
    optimizer.zero_grad()
    embedding(torch.randint(0, 50, (6,))).square().mean().backward()
    optimizer.step()
