import torch
from torch import nn

torch.manual_seed(0)
trunk = nn.Linear(10, 12)
heads = nn.ModuleList([nn.Linear(12, 2), nn.Linear(12, 3)])
optimizer = torch.optim.SGD([*trunk.parameters(), *heads.parameters()], lr=0.01)

for iteration in range(5):
    features = torch.tanh(trunk(torch.randn(6, 10)))
    optimizer.zero_grad()
    for head in heads:
        loss = torch.zeros(())
        loss = loss + head(features).square().mean()
        loss = loss + 0.01 * head.weight.square().sum()
        loss.backward(retain_graph=True)
    optimizer.step()
print(loss.item())
