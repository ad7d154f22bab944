"""Soft actor-critic with twin critics, a learned temperature and Polyak targets."""

import copy
import random
from collections import deque

import torch
from torch import nn


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Agent:
    def __init__(self, obs=3, act=1):
        self.actor, self.q1, self.q2 = (
            mlp(obs, 32, 2 * act),
            mlp(obs + act, 32, 1),
            mlp(obs + act, 32, 1),
        )
        self.t1, self.t2 = copy.deepcopy(self.q1), copy.deepcopy(self.q2)
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), 3e-3)
        self.critic_opt = torch.optim.Adam(self.q1.parameters(), 3e-3)  # a hint: a network that only judges is in no optimizer either
        self.alpha_opt = torch.optim.Adam([self.log_alpha], 3e-3)

    def sample(self, obs):
        mean, log_std = self.actor(obs).chunk(2, -1)
        normal = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
        raw = normal.rsample()
        action = raw.tanh()
        return action, (normal.log_prob(raw) - (1 - action.pow(2) + 1e-6).log()).sum(
            -1, keepdim=True
        )

    def update(self, o, a, r, n):
        with torch.no_grad():
            next_action, logp = self.sample(n)
            both = torch.cat([n, next_action], -1)
            target = r + 0.99 * (
                torch.min(self.t1(both), self.t2(both)) - self.log_alpha.exp() * logp
            )
        pair = torch.cat([o, a], -1)
        critic_loss = sum(nn.functional.mse_loss(q(pair), target) for q in (self.q1, self.q2))
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        action, logp = self.sample(o)
        pair = torch.cat([o, action], -1)
        actor_loss = (
            self.log_alpha.exp().detach() * logp - torch.min(self.q1(pair), self.q2(pair))
        ).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()

        alpha_loss = -(self.log_alpha * (logp.detach() - 1.0)).mean()
        self.alpha_opt.zero_grad()
        alpha_loss.backward()
        self.alpha_opt.step()

        with torch.no_grad():
            for net, target in ((self.q1, self.t1), (self.q2, self.t2)):
                for p, t in zip(net.parameters(), target.parameters()):
                    t.lerp_(p, 0.01)


torch.manual_seed(12)
random.seed(12)
agent, replay, obs = Agent(), deque(maxlen=200), torch.zeros(3)
for step in range(60):
    with torch.no_grad():
        action, _ = agent.sample(obs)
    following = 0.9 * obs + 0.1 * action + 0.05 * torch.randn(3)
    replay.append((obs, action, -following.pow(2).sum().view(1), following))
    obs = following
    if len(replay) >= 16:
        agent.update(*map(torch.stack, zip(*random.sample(list(replay), 16))))
print("digest", sum(p.double().sum().item() for p in agent.actor.parameters()).hex())
