"""Weights as one vector: slow weights and line search along the last update, by vector_to_parameters."""

import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 7), nn.Tanh(), nn.Linear(7, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
check = torch.randn(24, 4)


def objective(inputs):
    return (model(inputs) - inputs.prod(1, keepdim=True)).square().mean()


for step in range(15):
    before = parameters_to_vector(model.parameters()).detach().clone()
    optimizer.zero_grad()
    objective(torch.randn(24, 4)).backward()
    optimizer.step()
    after = parameters_to_vector(model.parameters()).detach().clone()
    with torch.no_grad():
        tried = {}
        for length in (0.5, 1.0, 1.5):
            vector_to_parameters(torch.lerp(before, after, length), model.parameters())
            tried[length] = objective(check).item()
        best = min(tried, key=tried.get)
        vector_to_parameters(torch.lerp(before, after, best), model.parameters())
print(best, round(tried[best], 4))
