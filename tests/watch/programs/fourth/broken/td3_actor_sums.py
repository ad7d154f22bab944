"""TD3: the actor and the targets move at every second critic update."""

import copy

import torch
from torch import nn
from torch.nn import functional as F


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Linear(24, 1))
        self.two = nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, s, a):
        x = torch.cat([s, a], 1)
        return self.one(x), self.two(x)


def soft_update(net, target, tau=0.005):
    for p, t in zip(net.parameters(), target.parameters()):
        t.data.copy_(tau * p.data + (1 - tau) * t.data)


torch.manual_seed(13)
actor = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 1), nn.Tanh())
critic = Critic()
actor_target, critic_target = copy.deepcopy(actor), copy.deepcopy(critic)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for it in range(40):
    s, a, r = torch.randn(32, 4), torch.rand(32, 1) * 2 - 1, torch.randn(32, 1)
    s2 = s + 0.1 * a
    with torch.no_grad():
        noise = (torch.randn_like(a) * 0.2).clamp(-0.5, 0.5)
        a2 = (actor_target(s2) + noise).clamp(-1, 1)
        q = r + 0.99 * torch.min(*critic_target(s2, a2))
    q1, q2 = critic(s, a)
    critic_loss = F.mse_loss(q1, q) + F.mse_loss(q2, q)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    if it % 2 == 0:
        actor_loss = -critic(s, actor(s))[0].mean()
        actor_loss.backward()  # ZG101 watch
        actor_optimizer.step()
        soft_update(actor, actor_target)
        soft_update(critic, critic_target)
print("digest", sum(p.double().sum().item() for p in actor.parameters()).hex())
