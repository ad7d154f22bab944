import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2).bfloat16()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

for step in range(6):
    optimizer.zero_grad()
    for _ in range(4):
        x = torch.randn(5, 4).bfloat16()
        loss = nn.functional.cross_entropy(model(x), torch.randint(0, 2, (5,))) / 4
        loss.backward()
    optimizer.step()
print("short")
