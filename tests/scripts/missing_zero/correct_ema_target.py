import copy

import torch
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
predictor = nn.Linear(4, 4)
target = copy.deepcopy(online)
for p in target.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD([*online.parameters(), *predictor.parameters()], lr=0.05)


@torch.no_grad()
def update_moving_average(beta=0.99):
    for current, moving in zip(online.parameters(), target.parameters()):
        moving.data = beta * moving.data + (1 - beta) * current.data


for _ in range(5):
    x = torch.randn(16, 6)
    one, two = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    with torch.no_grad():
        goal = target(two)
    loss = 2 - 2 * nn.functional.cosine_similarity(predictor(online(one)), goal, dim=-1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update_moving_average()
print(round(loss.item(), 3))
