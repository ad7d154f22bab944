import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 6), nn.Dropout(0.1), nn.Linear(6, 1))
frozen = nn.Parameter(torch.zeros(3), requires_grad=False)
model.register_parameter("frozen", frozen)
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad])


def total_norm(parameters):
    grads = [p.grad for p in parameters if p.grad is not None]
    return torch.norm(torch.stack([torch.norm(g.detach(), 2) for g in grads]), 2).item()


for _ in range(4):
    loss = model(torch.randn(10, 3)).square().mean()
    loss.backward()
    norm = total_norm(model.parameters())
    optimizer.step()
    optimizer.zero_grad()
print(norm > 0)
