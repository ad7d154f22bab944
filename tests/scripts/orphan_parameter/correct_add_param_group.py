import torch
from torch import nn

torch.manual_seed(0)
body = nn.Linear(6, 6)
head = nn.Linear(6, 1)
for p in body.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD(head.parameters(), lr=0.05)

for epoch in range(4):
    if epoch == 2:
        for p in body.parameters():
            p.requires_grad = True
        optimizer.add_param_group({"params": body.parameters(), "lr": 0.005})
    for _ in range(3):
        x = torch.randn(8, 6)
        loss = (head(torch.tanh(body(x))).squeeze(1) - x[:, 0]).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())
