import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(4)
enc, dec = nn.Linear(8, 4), nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
disc = nn.Sequential(nn.Linear(8, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt_ae = torch.optim.Adam(list(enc.parameters()) + list(dec.parameters()), 1e-3)
opt_disc = torch.optim.Adam(disc.parameters(), 1e-3)
DISC_START = 8
for global_step in range(20):
    x = torch.randn(16, 8)
    rec = dec(enc(x))
    nll = F.mse_loss(rec, x)
    g_loss = -disc(rec).mean()
    last = dec[-1].weight
    nll_grad = torch.autograd.grad(nll, last, retain_graph=True)[0]
    g_grad = torch.autograd.grad(g_loss, last, retain_graph=True)[0]
    d_weight = (nll_grad.norm() / (g_grad.norm() + 1e-4)).clamp(0, 1e4).detach()
    factor = 0.0 if global_step < DISC_START else 1.0
    loss = nll + d_weight * factor * g_loss
    opt_ae.zero_grad()
    loss.backward()
    opt_ae.step()
    if global_step >= DISC_START:
        d_loss = 0.5 * (F.relu(1 - disc(x)).mean() + F.relu(1 + disc(rec.detach())).mean())
        opt_disc.zero_grad()
        d_loss.backward()
        opt_disc.step()
