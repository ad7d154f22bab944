import torch
from torch import nn

torch.manual_seed(0)

model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
parameters = list(model.parameters())
optimizer = torch.optim.SGD(parameters, lr=0.01)
for p in parameters:
    p.grad = torch.zeros_like(p)

for batch in torch.randn(24, 16, 6):
    penalty = sum(p.square().sum() for p in parameters)
    with torch.no_grad():
        for p, gradient in zip(parameters, torch.autograd.grad(penalty, parameters)):
            p.grad.copy_(0.01 * gradient)
    loss = (model(batch) - batch.sum(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()

print(f"loss {loss.item():.3f}")
