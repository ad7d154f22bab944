"""The critic accumulates two micro-batches, the actor four; each has its own divisor and clear."""

import torch
from torch import nn

torch.manual_seed(0)
CRITIC, ACTOR = 2, 4
actor, critic = nn.Linear(6, 2), nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for number in range(1, 33):
    state = torch.randn(8, 6)
    action = actor(state).tanh()
    reward = -(action.detach() - state[:, :2]).square().sum(1, keepdim=True)
    value_loss = (critic(torch.cat([state, action.detach()], 1)) - reward).square().mean()
    (value_loss / CRITIC).backward()
    if number % CRITIC == 0:
        critic_optimizer.step()
        critic_optimizer.zero_grad()

    policy_loss = -critic(torch.cat([state, action], 1)).mean()
    (policy_loss / ACTOR).backward()
    if number % ACTOR == 0:
        actor_optimizer.step()
        actor_optimizer.zero_grad()
print(f"{value_loss.item():.3f} {policy_loss.item():.3f}")
