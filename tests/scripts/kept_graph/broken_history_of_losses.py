import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
history = []

for epoch in range(4):
    for x in torch.randn(8, 6, 5):
        optimizer.zero_grad()
        loss = (model(x) - x.mean(1, keepdim=True)).square().mean()
        loss.backward()
        optimizer.step()
        history.append(loss)  # ZG602 lint watch
    print(epoch, torch.stack(history[-8:]).mean().item())
