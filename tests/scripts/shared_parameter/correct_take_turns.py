"""Adversarial autoencoder: the encoder is in two optimizers that take turns."""
import torch
from torch import nn

torch.manual_seed(0)
enc, dec, disc = nn.Linear(8, 2), nn.Linear(2, 8), nn.Linear(2, 1)
opt_reconstruct = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-3)
opt_regularise = torch.optim.Adam(enc.parameters(), lr=5e-4)
opt_disc = torch.optim.Adam(disc.parameters(), lr=1e-3)
bce = nn.functional.binary_cross_entropy_with_logits
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)

for step in range(6):
    x = torch.rand(16, 8)

    opt_reconstruct.zero_grad()
    loss = nn.functional.mse_loss(dec(enc(x)), x)
    loss.backward()
    opt_reconstruct.step()

    opt_disc.zero_grad()
    d_loss = bce(disc(torch.randn(16, 2)), ones) + bce(disc(enc(x).detach()), zeros)
    d_loss.backward()
    opt_disc.step()

    opt_regularise.zero_grad()
    g_loss = bce(disc(enc(x)), ones)
    g_loss.backward()
    opt_regularise.step()
print(loss.item(), d_loss.item(), g_loss.item())
