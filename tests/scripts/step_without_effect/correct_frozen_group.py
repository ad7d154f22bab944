import torch
from torch import nn

torch.manual_seed(0)
stem, head = nn.Linear(5, 5), nn.Linear(5, 2)
optimizer = torch.optim.SGD(
    [{"params": stem.parameters(), "lr": 0.0}, {"params": head.parameters()}],
    lr=0.05,
)
for _ in range(6):
    x, y = torch.randn(8, 5), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(head(torch.relu(stem(x))), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(loss.item())
