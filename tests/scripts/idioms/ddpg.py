"""DDPG: the actor's loss goes through the critic; both have slowly following targets."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
GAMMA, TAU = 0.99, 0.005


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 1), nn.Tanh())

    def forward(self, s):
        return self.net(s)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, s, a):
        return self.net(torch.cat([s, a], dim=-1))


actor, critic = Actor(), Critic()
actor_target, critic_target = copy.deepcopy(actor), copy.deepcopy(critic)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-4)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, weight_decay=1e-2)

for it in range(12):
    state, action = torch.randn(16, 3), torch.rand(16, 1) * 2 - 1
    next_state, reward = state + 0.1 * action, -state.square().sum(1, keepdim=True)

    target_Q = critic_target(next_state, actor_target(next_state))
    target_Q = reward + GAMMA * target_Q.detach()
    critic_loss = 0.5 * F.mse_loss(critic(state, action), target_Q)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    actor_loss = -critic(state, actor(state)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()

    for net, target in ((critic, critic_target), (actor, actor_target)):
        for param, target_param in zip(net.parameters(), target.parameters()):
            target_param.data.copy_(TAU * param.data + (1 - TAU) * target_param.data)
