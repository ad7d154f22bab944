import torch
import torch.nn.functional as F
from torch import nn


class DDPG:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-4)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def q(self, s, a):
        return self.critic(torch.cat([s, a], dim=1))

    def update_critic(self, s, a, target):
        loss = F.mse_loss(self.q(s, a), target)
        self.critic_opt.zero_grad()
        loss.backward()
        self.critic_opt.step()

    def update_actor(self, s):
        loss = -self.q(s, self.actor(s)).mean()
        self.actor_opt.zero_grad()
        loss.backward()  # ZG703 watch
        self.actor_opt.step()


torch.manual_seed(0)
agent = DDPG()
for _ in range(16):
    s, a = torch.randn(8, 3), torch.rand(8, 1) * 2 - 1
    agent.update_critic(s, a, -(s.sum(1, keepdim=True) - a).square())
    agent.update_actor(s)
