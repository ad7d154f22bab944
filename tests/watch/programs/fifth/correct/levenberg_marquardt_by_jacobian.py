"""Gauss-Newton steps from `jacrev`: damping is raised and lowered, no backward anywhere."""

import torch
from torch import nn
from torch.func import functional_call, jacrev

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
model = nn.Sequential(nn.Linear(1, 5), nn.Tanh(), nn.Linear(5, 1))
names = [name for name, _ in model.named_parameters()]
shapes = [p.shape for p in model.parameters()]
inputs = torch.linspace(-2, 2, 30).unsqueeze(1)
targets = inputs.sin()


def residual(flat):
    parts = flat.split([shape.numel() for shape in shapes])
    weights = {n: part.view(shape) for n, part, shape in zip(names, parts, shapes)}
    return (functional_call(model, weights, inputs) - targets).squeeze(1)


flat = nn.utils.parameters_to_vector(model.parameters()).detach()
damping = 1e-2
for _ in range(12):
    error, jacobian = residual(flat), jacrev(residual)(flat)
    normal = jacobian.T @ jacobian + damping * torch.eye(len(flat))
    step = torch.linalg.solve(normal, jacobian.T @ error)
    if residual(flat - step).square().sum() < error.square().sum():
        flat, damping = flat - step, damping / 3
    else:
        damping *= 4
nn.utils.vector_to_parameters(flat, model.parameters())
print(f"{residual(flat).square().mean():.2e}")
