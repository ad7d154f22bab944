"""Evolution strategies: the gradient is an estimate, no graph is ever built."""
import torch
from torch import nn

torch.manual_seed(11)
policy = nn.Linear(4, 2)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.002)
goal = torch.tensor([0.5, -1.0])
observation = torch.ones(4)
sigma, population = 0.1, 6


@torch.no_grad()
def fitness() -> float:
    return -float((policy(observation) - goal).square().sum())


for generation in range(5):
    optimizer.zero_grad()
    estimate = [torch.zeros_like(p) for p in policy.parameters()]
    for _ in range(population):
        noise = [torch.randn_like(p) for p in policy.parameters()]
        with torch.no_grad():
            for p, n in zip(policy.parameters(), noise):
                p.add_(n, alpha=sigma)
        score = fitness()
        with torch.no_grad():
            for p, n, e in zip(policy.parameters(), noise, estimate):
                p.sub_(n, alpha=sigma)
                e.sub_(n, alpha=score / (sigma * population))
    for p, e in zip(policy.parameters(), estimate):
        p.grad = e
    optimizer.step()
    print(generation, round(fitness(), 3))
