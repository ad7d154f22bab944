import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
batches = torch.randn(30, 8, 3)
last = []


def train(x):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    last[:] = [loss]
    return loss.detach()


mean = sum(train(x) for x in batches) / len(batches)
for x in batches: mean += train(x).item() / 30
print(f"mean {mean.item():.3f}, last {last[-1].item():.3f}")
