import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
norms = []

for _ in range(6):
    x, y = torch.randn(8, 6) * 5, torch.randint(0, 2, (8,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    norms.append(nn.utils.clip_grad_norm_(model.parameters(), float("inf")).item())
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)  # ZG401 lint watch
print([round(norm, 2) for norm in norms])
