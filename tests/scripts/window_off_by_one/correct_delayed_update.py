import torch
from torch import nn

torch.manual_seed(0)
policy, value = nn.Linear(4, 2), nn.Linear(4, 1)
policy_optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
value_optimizer = torch.optim.Adam(value.parameters(), lr=1e-3)
policy_delay = 2

for it in range(8):
    state, ret = torch.randn(10, 4), torch.randn(10, 1)

    value_optimizer.zero_grad()
    value_loss = nn.functional.mse_loss(value(state), ret)
    value_loss.backward()
    value_optimizer.step()

    if it % policy_delay == 0:
        advantage = ret - value(state).detach()
        log_probs = policy(state).log_softmax(-1)[:, :1]
        policy_loss = -(log_probs * advantage).mean()
        policy_optimizer.zero_grad()
        policy_loss.backward()
        policy_optimizer.step()
print(round(value_loss.item(), 2))
