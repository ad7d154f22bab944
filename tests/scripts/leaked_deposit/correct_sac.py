import copy

import torch
import torch.nn.functional as F
from torch import nn


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, outputs))


class SAC:
    def __init__(self, obs_dim=3, act_dim=1, alpha=0.2, gamma=0.99, tau=0.01):
        self.pi = mlp(obs_dim, 2 * act_dim)
        self.q1, self.q2 = mlp(obs_dim + act_dim, 1), mlp(obs_dim + act_dim, 1)
        self.q1_target, self.q2_target = copy.deepcopy(self.q1), copy.deepcopy(self.q2)
        self.pi_optimizer = torch.optim.Adam(self.pi.parameters(), lr=1e-3)
        self.q_optimizer = torch.optim.Adam([*self.q1.parameters(), *self.q2.parameters()], lr=1e-3)
        self.alpha, self.gamma, self.tau = alpha, gamma, tau

    def sample(self, obs):
        mean, log_std = self.pi(obs).chunk(2, dim=-1)
        normal = torch.distributions.Normal(mean, log_std.clamp(-5, 1).exp())
        action = normal.rsample()
        return torch.tanh(action), normal.log_prob(action).sum(-1, keepdim=True)

    def update(self, obs, act, rew, nxt):
        with torch.no_grad():
            a2, logp2 = self.sample(nxt)
            q = torch.min(*(t(torch.cat([nxt, a2], -1)) for t in (self.q1_target, self.q2_target)))
            backup = rew + self.gamma * (q - self.alpha * logp2)
        pair = torch.cat([obs, act], -1)
        q_loss = 0.5 * F.mse_loss(self.q1(pair), backup) + 0.5 * F.mse_loss(self.q2(pair), backup)
        self.q_optimizer.zero_grad()
        q_loss.backward()
        self.q_optimizer.step()

        action, logp = self.sample(obs)
        pair = torch.cat([obs, action], -1)
        pi_loss = (self.alpha * logp - torch.min(self.q1(pair), self.q2(pair))).mean()
        self.pi_optimizer.zero_grad()
        pi_loss.backward()
        self.pi_optimizer.step()

        with torch.no_grad():
            for net, target in ((self.q1, self.q1_target), (self.q2, self.q2_target)):
                for p, t in zip(net.parameters(), target.parameters()):
                    t.lerp_(p, self.tau)
        return q_loss.item()


torch.manual_seed(0)
agent = SAC()
for _ in range(5):
    value = agent.update(torch.randn(8, 3), torch.randn(8, 1), torch.randn(8, 1), torch.randn(8, 3))
print(value > 0)
