import torch
from torch import nn


def minimize(module, optimizer, loss, limit=1.0):
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(module.parameters(), limit)  # ZG408 lint watch
    optimizer.step()


torch.manual_seed(0)
policy, baseline = nn.Linear(4, 3), nn.Linear(4, 1)
pi_optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
critic_optimizer = torch.optim.SGD(baseline.parameters(), lr=0.01)

for update in range(6):
    states, actions, returns = torch.randn(16, 4), torch.randint(3, (16, 1)), torch.randn(16, 1)
    value = baseline(states)
    critic_loss = nn.functional.mse_loss(value, returns)
    minimize(baseline, critic_optimizer, critic_loss)
    chosen = torch.log_softmax(policy(states), dim=1).gather(1, actions)
    pi_loss = -(chosen * (returns - value.detach())).mean()
    minimize(baseline, pi_optimizer, pi_loss)
print(critic_loss.item(), pi_loss.item())
