import itertools

import torch
from torch import nn

torch.manual_seed(0)
G_AB = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
G_BA = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
optimizer_G = torch.optim.SGD(itertools.chain(G_AB.parameters(), G_AB.parameters()), lr=0.01)  # ZG307 lint watch

for i in range(5):
    real_A, real_B = torch.randn(6, 4), torch.randn(6, 4) + 1
    optimizer_G.zero_grad()
    cycle = nn.functional.l1_loss(G_BA(G_AB(real_A)), real_A)
    identity = nn.functional.l1_loss(G_AB(real_B), real_B)
    loss_G = 10 * cycle + 5 * identity
    loss_G.backward()
    optimizer_G.step()
    print(i, loss_G.item())
