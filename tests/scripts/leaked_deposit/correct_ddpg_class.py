import copy

import torch
import torch.nn.functional as F
from torch import nn


class DDPG:
    def __init__(self, obs, act, tau=0.005, gamma=0.99):
        self.actor = nn.Sequential(nn.Linear(obs, 8), nn.ReLU(), nn.Linear(8, act), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(obs + act, 8), nn.ReLU(), nn.Linear(8, 1))
        self.actor_target = copy.deepcopy(self.actor)
        self.critic_target = copy.deepcopy(self.critic)
        self.actor_optim = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_optim = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.tau, self.gamma = tau, gamma

    def q(self, net, s, a):
        return net(torch.cat([s, a], 1))

    def train(self, s, a, r, s2):
        with torch.no_grad():
            y = r + self.gamma * self.q(self.critic_target, s2, self.actor_target(s2))
        critic_loss = 0.5 * F.mse_loss(self.q(self.critic, s, a), y)
        self.critic_optim.zero_grad()
        critic_loss.backward()
        self.critic_optim.step()

        actor_loss = -self.q(self.critic, s, self.actor(s)).mean()
        self.actor_optim.zero_grad()
        actor_loss.backward()
        self.actor_optim.step()

        self.soft_update(self.critic, self.critic_target)
        self.soft_update(self.actor, self.actor_target)

    def soft_update(self, net, target):
        for p, tp in zip(net.parameters(), target.parameters()):
            tp.data.copy_(self.tau * p.data + (1 - self.tau) * tp.data)


torch.manual_seed(0)
agent = DDPG(3, 1)
for _ in range(6):
    agent.train(torch.randn(8, 3), torch.randn(8, 1), torch.randn(8, 1), torch.randn(8, 3))
print("trained")
