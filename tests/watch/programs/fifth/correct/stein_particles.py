"""Stein variational descent: the kernelised direction is assigned to the particles' gradient."""

import torch

torch.manual_seed(0)
particles = torch.randn(20, 2).requires_grad_()
optimizer = torch.optim.Adagrad([particles], lr=0.3)
mean = torch.tensor([1.0, -2.0])


def log_density(x):
    return -0.5 * ((x - mean) ** 2 * torch.tensor([1.0, 4.0])).sum(1)


for step in range(30):
    inputs = particles.detach().requires_grad_()
    score = torch.autograd.grad(log_density(inputs).sum(), inputs)[0]
    distances = torch.cdist(particles.detach(), particles.detach()).square()
    width = distances.median() / torch.log(torch.tensor(21.0))
    kernel = torch.exp(-distances / width)
    repulsion = 2 / width * (kernel.sum(1, keepdim=True) * particles.detach() - kernel @ particles.detach())
    particles.grad = -(kernel @ score + repulsion) / len(particles)
    optimizer.step()
    optimizer.zero_grad()
print(particles.mean(0).tolist())
