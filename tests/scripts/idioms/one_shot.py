"""One backward and one step, nothing to clear: a check, a saliency map, a learning-rate probe."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 3), torch.randn(10, 1)

before = nn.functional.mse_loss(model(x), y)
before.backward()
print({name: p.grad.norm().item() > 0 for name, p in model.named_parameters()})
optimizer.step()
after = nn.functional.mse_loss(model(x), y)
print("loss went down:", bool(after < before))
