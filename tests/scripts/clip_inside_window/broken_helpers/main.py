import torch
from torch import nn

from updates import deposit

torch.manual_seed(0)
GRAD_ACCUM = 3
model = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for epoch in range(2):
    for index in range(9):
        images, labels = torch.rand(4, 1, 6, 6), torch.randint(0, 4, (4,))
        deposit(model, images, labels, GRAD_ACCUM)
        if index % GRAD_ACCUM == GRAD_ACCUM - 1:
            optimizer.step()
            optimizer.zero_grad()
print("done")
