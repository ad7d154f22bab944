"""OpenAI's evolution strategies: antithetic noise, ranks, and the estimate written into .grad for Adam."""

import torch
from torch import nn


def ranks(values):
    order = torch.empty(len(values))
    order[values.argsort()] = torch.linspace(-0.5, 0.5, len(values))
    return order


class ES:
    def __init__(self, model, sigma=0.1, population=10):
        self.model, self.sigma, self.population = model, sigma, population
        self.optimizer = torch.optim.Adam(model.parameters(), lr=0.05)

    @torch.no_grad()
    def generation(self, fitness):
        base = nn.utils.parameters_to_vector(self.model.parameters())
        noise = torch.randn(self.population, len(base))
        noise = torch.cat([noise, -noise])
        scores = []
        for direction in noise:
            nn.utils.vector_to_parameters(base + self.sigma * direction, self.model.parameters())
            scores.append(fitness(self.model))
        nn.utils.vector_to_parameters(base, self.model.parameters())
        estimate = -(ranks(torch.tensor(scores)) @ noise) / (len(noise) * self.sigma)
        start = 0
        for p in self.model.parameters():
            p.grad = estimate[start : start + p.numel()].view_as(p)
            start += p.numel()
        self.optimizer.step()


torch.manual_seed(49)
model = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
data = torch.randn(40, 3)
es = ES(model)
for _ in range(12):
    es.generation(lambda m: -(m(data).squeeze() - data.prod(1)).pow(2).mean().item())
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
