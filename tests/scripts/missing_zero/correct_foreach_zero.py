import torch
from torch import nn

torch.manual_seed(9)
model = nn.Sequential(nn.Conv1d(2, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(18, 1))
params = list(model.parameters())
optimizer = torch.optim.SGD(params, lr=0.01)

for _ in range(5):
    x = torch.randn(4, 2, 8)
    loss = model(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    torch._foreach_zero_([p.grad for p in params])
print(loss.item() > 0)
