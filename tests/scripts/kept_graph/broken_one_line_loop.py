import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
total = torch.zeros(())

for x in torch.randn(30, 8, 3): optimizer.zero_grad(); loss = model(x).square().mean(); loss.backward(); optimizer.step(); total = total + loss  # ZG602 lint watch

print(f"mean {total.item() / 30:.3f}")
