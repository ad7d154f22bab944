import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for _ in range(6):
    labelled, target, unlabelled = torch.randn(4, 5), torch.randn(4, 1), torch.randn(8, 5)
    optimizer.zero_grad()

    supervised = nn.functional.mse_loss(model(labelled), target)
    supervised.backward()

    noisy = unlabelled + 0.1 * torch.randn_like(unlabelled)
    consistency = nn.functional.mse_loss(model(noisy), model(unlabelled).detach())
    consistency.backward()

    optimizer.step()
print(round(supervised.item(), 2))
