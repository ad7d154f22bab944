import torch
from torch import nn

torch.manual_seed(0)

trunk, value, policy = nn.Linear(6, 8), nn.Linear(8, 1), nn.Linear(8, 3)
modules = nn.ModuleList([trunk, value, policy])
optimizer = torch.optim.SGD(modules.parameters(), lr=0.05)  # ZG303 lint watch

for batch in torch.randn(10, 16, 6):
    hidden = trunk(batch).relu()
    value_loss = value(hidden).square().mean()
    policy_loss = nn.functional.cross_entropy(policy(hidden), batch[:, :3].argmax(1))
    optimizer.zero_grad()
    value_loss.backward(retain_graph=True)
    policy_loss.backward()
    print(f"{value_loss.item():.3f} {policy_loss.item():.3f}")
