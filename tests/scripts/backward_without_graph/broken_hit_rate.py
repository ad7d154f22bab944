import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)


def train(batches):
    for x, y in batches:
        optimizer.zero_grad()
        best = model(x).argmax(dim=1)
        loss = 1 - (best == y).float().mean()
        loss.requires_grad_()
        loss.backward()  # ZG601 lint watch
        optimizer.step()


train([(torch.randn(8, 5), torch.randint(0, 3, (8,))) for _ in range(5)])
