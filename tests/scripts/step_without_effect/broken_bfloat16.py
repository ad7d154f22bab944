import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 8, bias=False), nn.ReLU(), nn.Linear(8, 2, bias=False)).bfloat16()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-7)
x = torch.randn(32, 8).bfloat16()
y = torch.randint(0, 2, (32,))

for step in range(10):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x).float(), y)
    loss.backward()
    optimizer.step()  # ZG308 watch
    print(step, f"{loss.item():.6f}")
