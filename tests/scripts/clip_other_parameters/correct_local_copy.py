import torch
from torch import nn

torch.manual_seed(0)
shared, local, target = nn.Linear(4, 2), nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.Adam(shared.parameters(), lr=1e-3)
distilling = torch.optim.Adam(local.parameters(), lr=1e-3)

for worker_step in range(6):
    local.load_state_dict(shared.state_dict())
    states = torch.randn(8, 4)

    distilling.zero_grad()
    nn.functional.mse_loss(local(states), target(states).detach()).backward()
    nn.utils.clip_grad_norm_(local.parameters(), 1.0)
    distilling.step()

    local.zero_grad()
    loss = local(states).logsumexp(dim=1).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(local.parameters(), 40.0)
    for mine, theirs in zip(local.parameters(), shared.parameters(), strict=True):
        theirs.grad = mine.grad.clone()
    optimizer.step()
print(loss.item())
