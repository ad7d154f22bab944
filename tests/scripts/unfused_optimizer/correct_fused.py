import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 4))
head = nn.Linear(4, 2)
device = "cpu"
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
head_optimizer = torch.optim.SGD(head.parameters(), lr=0.1, fused=device == "cuda")
for _ in range(5):
    x, y = torch.randn(8, 16), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(head(model(x)), y)
    optimizer.zero_grad()
    head_optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    head_optimizer.step()
