import torch
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Linear(4, 2), nn.Linear(6, 1)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)

for it in range(12):
    states, actions, returns = torch.randn(8, 4), torch.randn(8, 2), torch.randn(8, 1)
    if it % 2 == 0:
        actor_optimizer.zero_grad()
        actor_loss = -critic(torch.cat([states, actor(states)], dim=1)).mean()
        actor_loss.backward()
    critic_optimizer.zero_grad()
    critic_loss = nn.functional.mse_loss(critic(torch.cat([states, actions], dim=1)), returns)
    critic_loss.backward()
    if it % 2 == 0:
        nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
    critic_optimizer.step()
    if it % 2 == 1:
        actor_optimizer.step()
print(actor_loss.item(), critic_loss.item())
