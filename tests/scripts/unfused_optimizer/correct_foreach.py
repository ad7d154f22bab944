import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 10), nn.Tanh(), nn.Linear(10, 1))
body = torch.optim.Adam(model[0].parameters(), lr=1e-3, foreach=True)
head = torch.optim.SGD(model[2].parameters(), lr=1e-2, foreach=False)
for _ in range(4):
    x = torch.randn(8, 5)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    body.zero_grad()
    head.zero_grad()
    loss.backward()
    body.step()
    head.step()
