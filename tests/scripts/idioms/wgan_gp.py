"""WGAN-GP: several critic updates, each with a gradient penalty; the old style with mone."""
import torch
from torch import autograd, nn, optim

torch.manual_seed(1)
LAMBDA, CRITIC_ITERS, BATCH_SIZE = 0.1, 5, 16


def calc_gradient_penalty(netD, real_data, fake_data):
    alpha = torch.rand(BATCH_SIZE, 1).expand(real_data.size())
    interpolates = alpha * real_data + ((1 - alpha) * fake_data)
    interpolates = autograd.Variable(interpolates, requires_grad=True)
    disc_interpolates = netD(interpolates)
    gradients = autograd.grad(
        outputs=disc_interpolates,
        inputs=interpolates,
        grad_outputs=torch.ones(disc_interpolates.size()),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean() * LAMBDA


netG = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
netD = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
optimizerD = optim.Adam(netD.parameters(), lr=1e-4, betas=(0.5, 0.9))
optimizerG = optim.Adam(netG.parameters(), lr=1e-4, betas=(0.5, 0.9))
one = torch.tensor(1.0)
mone = one * -1

for iteration in range(4):
    for p in netD.parameters():
        p.requires_grad = True
    for iter_d in range(CRITIC_ITERS):
        netD.zero_grad()
        real_data = torch.randn(BATCH_SIZE, 2)
        D_real = netD(real_data).mean()
        D_real.backward(mone)

        with torch.no_grad():
            fake = netG(torch.randn(BATCH_SIZE, 2))
        D_fake = netD(fake).mean()
        D_fake.backward(one)

        gradient_penalty = calc_gradient_penalty(netD, real_data, fake)
        gradient_penalty.backward()
        Wasserstein_D = D_real - D_fake
        optimizerD.step()

    for p in netD.parameters():
        p.requires_grad = False
    netG.zero_grad()
    fake = netG(torch.randn(BATCH_SIZE, 2))
    G = netD(fake).mean()
    G.backward(mone)
    optimizerG.step()
    print(f"{iteration}: {Wasserstein_D.item():.3f}")
