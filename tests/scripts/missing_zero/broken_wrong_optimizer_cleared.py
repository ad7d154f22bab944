import torch
from torch import nn

torch.manual_seed(0)
q1, q2 = nn.Linear(4, 1), nn.Linear(4, 1)
q1_optimizer = torch.optim.Adam(q1.parameters(), lr=3e-4)
q2_optimizer = torch.optim.Adam(q2.parameters(), lr=3e-4)

for _ in range(8):
    state, target = torch.randn(32, 4), torch.randn(32, 1)

    q1_loss = nn.functional.mse_loss(q1(state), target)
    q1_optimizer.zero_grad()
    q1_loss.backward()
    q1_optimizer.step()

    q2_loss = nn.functional.mse_loss(q2(state), target)
    q1_optimizer.zero_grad()
    q2_loss.backward()  # ZG101 lint watch
    q2_optimizer.step()

print(round(q1_loss.item(), 2), round(q2_loss.item(), 2))
