import torch
from torch import autograd, nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
critic = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-4, betas=(0.0, 0.9))
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
lambda_gp, n_critic = 10, 3


def gradient_penalty(real, fake):
    alpha = torch.rand(real.size(0), 1)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(mixed)
    (grad,) = autograd.grad(score, mixed, torch.ones_like(score), create_graph=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


for i in range(9):
    real = torch.randn(8, 2)

    opt_c.zero_grad()
    fake = generator(torch.randn(8, 2)).detach()
    loss_c = critic(fake).mean() - critic(real).mean() + lambda_gp * gradient_penalty(real, fake)
    loss_c.backward()
    opt_c.step()

    if i % n_critic == 0:
        opt_g.zero_grad()
        loss_g = -critic(generator(torch.randn(8, 2))).mean()
        loss_g.backward()
        opt_g.step()

print(round(loss_c.item(), 2))
