import torch
import torch.nn as nn
import torch.nn.functional as F


class Agent:
    def __init__(self, obs_dim=3, act_dim=1, lr=1e-3):
        self.actor = nn.Sequential(nn.Linear(obs_dim, 16), nn.Tanh(), nn.Linear(16, act_dim))
        self.critic = nn.Sequential(nn.Linear(obs_dim, 16), nn.Tanh(), nn.Linear(16, 1))
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=lr)
        self.critic_optimizer = torch.optim.Adam(self.actor.parameters(), lr=lr)  # ZG307 lint watch

    def update(self, obs, returns):
        value = self.critic(obs)
        advantage = returns - value.detach()
        actor_loss = (self.actor(obs) * advantage).mean()
        critic_loss = F.mse_loss(value, returns)

        self.actor_optimizer.zero_grad()
        self.critic_optimizer.zero_grad()
        (actor_loss + 0.5 * critic_loss).backward()
        self.actor_optimizer.step()
        self.critic_optimizer.step()
        return critic_loss.item()


torch.manual_seed(0)
agent = Agent()
for _ in range(6):
    value_error = agent.update(torch.randn(12, 3), torch.randn(12, 1))
print(value_error)
