"""StyleGAN2's loop: toggled requires_grad, lazy R1, lazy path length, an averaged generator."""

import copy
import math

import torch
from torch import nn
from torch.nn import functional as F


def requires_grad(model, flag):
    for p in model.parameters():
        p.requires_grad = flag


def accumulate(average, model, decay=0.99):
    named = dict(model.named_parameters())
    for name, p in average.named_parameters():
        p.data.mul_(decay).add_(named[name].data, alpha=1 - decay)


torch.manual_seed(16)
mapping_width, size = 6, 8
generator = nn.Sequential(nn.Linear(mapping_width, 24), nn.LeakyReLU(0.2), nn.Linear(24, size))
discriminator = nn.Sequential(nn.Linear(size, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
g_ema = copy.deepcopy(generator).eval()
accumulate(g_ema, generator, 0)
g_optim = torch.optim.Adam(generator.parameters(), lr=2e-3 * 4 / 5, betas=(0.0, 0.99 ** (4 / 5)))
d_optim = torch.optim.Adam(
    discriminator.parameters(), lr=2e-3 * 4 / 5, betas=(0.0, 0.99 ** (4 / 5))
)
d_every, g_every, mean_path = 4, 4, torch.zeros(())
for i in range(17):
    real = torch.randn(16, size).cumsum(1)
    requires_grad(generator, False)
    requires_grad(discriminator, True)
    fake = generator(torch.randn(16, mapping_width))
    d_loss = F.softplus(-discriminator(real)).mean() + F.softplus(discriminator(fake)).mean()
    discriminator.zero_grad()
    d_loss.backward()
    d_optim.step()
    if i % d_every == 0:
        real.requires_grad = True
        pred = discriminator(real)
        (grad_real,) = torch.autograd.grad(pred.sum(), real, create_graph=True)
        r1 = grad_real.pow(2).sum(1).mean()
        discriminator.zero_grad()
        (10 / 2 * r1 * d_every + 0 * pred[0]).backward()
        d_optim.step()

    requires_grad(generator, True)
    requires_grad(discriminator, False)
    g_loss = F.softplus(-discriminator(generator(torch.randn(16, mapping_width)))).mean()
    generator.zero_grad()
    g_loss.backward()
    g_optim.step()
    if i % g_every == 0:
        w = torch.randn(8, mapping_width, requires_grad=True)
        image = generator(w)
        noise = torch.randn_like(image) / math.sqrt(size)
        (grad,) = torch.autograd.grad((image * noise).sum(), w, create_graph=True)
        lengths = grad.pow(2).sum(1).sqrt()
        mean_path = mean_path + 0.01 * (lengths.mean().detach() - mean_path)
        path_loss = (lengths - mean_path).pow(2).mean()
        generator.zero_grad()
        (2 * g_every * path_loss + 0 * image[0, 0]).backward()
        g_optim.step()
    accumulate(g_ema, generator)
print("digest", sum(p.double().sum().item() for p in g_ema.parameters()).hex())
