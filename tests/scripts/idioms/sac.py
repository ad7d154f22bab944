"""SAC with twin critics and a learned temperature."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal

torch.manual_seed(0)


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))


class Agent:
    def __init__(self, obs=4, act=2, gamma=0.99, tau=0.01, lr=3e-4):
        self.gamma, self.tau, self.target_entropy = gamma, tau, -act
        self.policy = mlp(obs, 2 * act)
        self.q1, self.q2 = mlp(obs + act, 1), mlp(obs + act, 1)
        self.q1_target, self.q2_target = copy.deepcopy(self.q1), copy.deepcopy(self.q2)
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.policy_optim = torch.optim.Adam(self.policy.parameters(), lr=lr)
        self.q_optim = torch.optim.Adam([*self.q1.parameters(), *self.q2.parameters()], lr=lr)
        self.alpha_optim = torch.optim.Adam([self.log_alpha], lr=lr)

    def sample(self, s):
        mean, log_std = self.policy(s).chunk(2, dim=-1)
        normal = Normal(mean, log_std.clamp(-5, 2).exp())
        x = normal.rsample()
        log_prob = normal.log_prob(x) - torch.log(1 - torch.tanh(x).pow(2) + 1e-6)
        return torch.tanh(x), log_prob.sum(-1, keepdim=True)

    def update(self, s, a, r, s2):
        with torch.no_grad():
            a2, log_pi2 = self.sample(s2)
            sa2 = torch.cat([s2, a2], 1)
            q_next = torch.min(self.q1_target(sa2), self.q2_target(sa2)) - self.log_alpha.exp() * log_pi2
            y = r + self.gamma * q_next
        sa = torch.cat([s, a], 1)
        q_loss = 0.5 * F.mse_loss(self.q1(sa), y) + 0.5 * F.mse_loss(self.q2(sa), y)
        self.q_optim.zero_grad()
        q_loss.backward()
        self.q_optim.step()

        pi, log_pi = self.sample(s)
        spi = torch.cat([s, pi], 1)
        policy_loss = (self.log_alpha.exp().detach() * log_pi - torch.min(self.q1(spi), self.q2(spi))).mean()
        self.policy_optim.zero_grad()
        policy_loss.backward()
        self.policy_optim.step()

        alpha_loss = -(self.log_alpha * (log_pi + self.target_entropy).detach()).mean()
        self.alpha_optim.zero_grad()
        alpha_loss.backward()
        self.alpha_optim.step()

        with torch.no_grad():
            for net, target in ((self.q1, self.q1_target), (self.q2, self.q2_target)):
                for p, p_target in zip(net.parameters(), target.parameters()):
                    p_target.mul_(1 - self.tau).add_(self.tau * p)


agent = Agent()
for _ in range(8):
    agent.update(torch.randn(16, 4), torch.rand(16, 2) * 2 - 1, torch.randn(16, 1), torch.randn(16, 4))
