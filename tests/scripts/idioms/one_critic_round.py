"""A GAN under one scaler, whose discriminator is trained a number of rounds that is one."""
import torch
from torch import nn

d_step_per_g_step = 1


def train(net_g, net_d, batches):
    optim_g = torch.optim.Adam(net_g.parameters(), lr=1e-3)
    optim_d = torch.optim.Adam(net_d.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu")
    for wave in batches:
        fake = net_g(wave)
        for _ in range(d_step_per_g_step):
            loss_disc = (net_d(fake.detach()) - net_d(wave)).mean()
            optim_d.zero_grad()
            scaler.scale(loss_disc).backward()
            scaler.unscale_(optim_d)
            scaler.step(optim_d)
        loss_gen = -net_d(fake).mean()
        optim_g.zero_grad()
        scaler.scale(loss_gen).backward()
        scaler.unscale_(optim_g)
        scaler.step(optim_g)
        scaler.update()


torch.manual_seed(0)
train(nn.Linear(5, 5), nn.Linear(5, 1), torch.randn(6, 4, 5))
