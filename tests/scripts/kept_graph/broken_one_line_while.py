import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
batches = torch.randn(30, 8, 3)


def train(x):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    return loss, len(x)


total, seen = 0.0, 0
while seen < 30: total = total + train(batches[seen])[0]; seen += 1  # ZG602 lint watch
print(f"mean {total.item() / seen:.3f}")
