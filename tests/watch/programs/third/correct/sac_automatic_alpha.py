import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(6)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
q1, q2 = (nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)) for _ in range(2))
t1, t2 = copy.deepcopy(q1), copy.deepcopy(q2)
q_optimizer = torch.optim.Adam(list(q1.parameters()) + list(q2.parameters()), lr=1e-3)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=3e-4)
log_alpha = torch.zeros(1, requires_grad=True)
a_optimizer = torch.optim.Adam([log_alpha], lr=1e-3)
alpha = log_alpha.exp().item()


def act(obs):
    mean, log_std = actor(obs).chunk(2, -1)
    dist = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
    raw = dist.rsample()
    action = raw.tanh()
    return action, (dist.log_prob(raw) - torch.log(1 - action.pow(2) + 1e-6)).sum(1, keepdim=True)


for global_step in range(24):
    obs, nxt, rew = torch.randn(16, 3), torch.randn(16, 3), torch.randn(16, 1)
    actions = torch.rand(16, 1) * 2 - 1
    with torch.no_grad():
        na, nlp = act(nxt)
        target = rew + 0.99 * (torch.min(t1(torch.cat([nxt, na], 1)), t2(torch.cat([nxt, na], 1))) - alpha * nlp)
    qf_loss = F.mse_loss(q1(torch.cat([obs, actions], 1)), target) + F.mse_loss(q2(torch.cat([obs, actions], 1)), target)
    q_optimizer.zero_grad()
    qf_loss.backward()
    q_optimizer.step()
    if global_step % 2 == 0:
        for _ in range(2):
            pi, lp = act(obs)
            q = torch.min(q1(torch.cat([obs, pi], 1)), q2(torch.cat([obs, pi], 1)))
            actor_loss = (alpha * lp - q).mean()
            actor_optimizer.zero_grad()
            actor_loss.backward()
            actor_optimizer.step()
            with torch.no_grad():
                _, lp = act(obs)
            alpha_loss = (-log_alpha.exp() * (lp - 1.0)).mean()
            a_optimizer.zero_grad()
            alpha_loss.backward()
            a_optimizer.step()
            alpha = log_alpha.exp().item()
    for p, t in zip([*q1.parameters(), *q2.parameters()], [*t1.parameters(), *t2.parameters()]):
        t.data.copy_(0.005 * p.data + 0.995 * t.data)
