"""Matrix factorisation by alternation: two optimizers take turns on one loss, one clear for both."""

import torch
from torch import nn

torch.manual_seed(96)
users, items = nn.Parameter(torch.randn(20, 4) * 0.3), nn.Parameter(torch.randn(15, 4) * 0.3)
ratings = torch.randn(20, 3) @ torch.randn(3, 15)
observed = torch.rand(20, 15) < 0.5
user_optimizer, item_optimizer = (
    torch.optim.Adam([users], lr=0.05),
    torch.optim.Adam([items], lr=0.05),
)


def objective():
    error = (users @ items.T - ratings)[observed]
    return error.pow(2).mean() + 1e-3 * (users.pow(2).sum() + items.pow(2).sum())


for sweep in range(5):
    for turn in (user_optimizer, item_optimizer):
        for _ in range(4):
            user_optimizer.zero_grad()
            item_optimizer.zero_grad()
            objective().backward()
            turn.step()
print("digest", (users.double().sum() + items.double().sum()).item().hex())
