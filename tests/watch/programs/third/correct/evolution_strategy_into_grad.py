import torch
from torch import nn

torch.manual_seed(9)
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
x, y = torch.randn(64, 4), torch.randn(64, 2)
SIGMA, POP = 0.1, 8


@torch.no_grad()
def reward():
    return -((policy(x) - y) ** 2).mean().item()


for generation in range(10):
    base = [p.detach().clone() for p in policy.parameters()]
    estimate = [torch.zeros_like(p) for p in base]
    rewards, noises = [], []
    for _ in range(POP):
        noise = [torch.randn_like(p) for p in base]
        for p, b, n in zip(policy.parameters(), base, noise):
            p.data.copy_(b + SIGMA * n)
        rewards.append(reward())
        noises.append(noise)
    r = torch.tensor(rewards)
    r = (r - r.mean()) / (r.std() + 1e-8)
    for weight, noise in zip(r, noises):
        for e, n in zip(estimate, noise):
            e += weight * n / (POP * SIGMA)
    optimizer.zero_grad()
    for p, b, e in zip(policy.parameters(), base, estimate):
        p.data.copy_(b)
        p.grad = -e
    optimizer.step()
