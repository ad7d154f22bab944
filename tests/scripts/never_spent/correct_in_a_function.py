import torch
from torch import nn


def train(generator, critic, batches):
    opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
    opt_d = torch.optim.Adam(critic.parameters(), lr=1e-3)
    for real in batches:
        opt_d.zero_grad()
        fake = generator(torch.randn(8, 2))
        loss_d = (critic(fake.detach()) - critic(real)).mean()
        loss_d.backward()
        opt_d.step()
        opt_g.zero_grad()
        loss_g = -critic(generator(torch.randn(8, 2))).mean()
        loss_g.backward()
        opt_g.step()


torch.manual_seed(0)
train(nn.Linear(2, 4), nn.Linear(4, 1), [torch.randn(8, 4) for _ in range(6)])
