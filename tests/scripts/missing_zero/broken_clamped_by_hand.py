import torch
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.RMSprop(q.parameters(), lr=1e-3)
for step in range(6):
    state, after = torch.randn(8, 4), torch.randn(8, 4)
    action = torch.randint(0, 2, (8, 1))
    with torch.no_grad():
        wanted = 1 + 0.9 * target(after).max(1, keepdim=True).values
    loss = nn.functional.smooth_l1_loss(q(state).gather(1, action), wanted)
    loss.backward()  # ZG101 lint watch
    for p in q.parameters():
        p.grad.data.clamp_(-1, 1)
    optimizer.step()
