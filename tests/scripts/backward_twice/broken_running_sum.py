import torch
from torch import nn

torch.manual_seed(0)
heads = ["depth", "normals", "edges"]
trunk = nn.Linear(10, 12)
decoders = nn.ModuleDict({name: nn.Linear(12, 2) for name in heads})
optimizer = torch.optim.SGD([*trunk.parameters(), *decoders.parameters()], lr=0.01)

for iteration in range(5):
    x = torch.randn(6, 10)
    features = torch.tanh(trunk(x))
    optimizer.zero_grad()
    loss = torch.zeros(())
    for name in heads:
        loss = loss + decoders[name](features).square().mean()
        loss.backward(retain_graph=True)  # ZG603 lint watch
    optimizer.step()
