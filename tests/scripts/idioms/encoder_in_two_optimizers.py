"""Adversarial autoencoder: the encoder belongs to the reconstruction and to the generator optimizer."""
import torch
from torch import nn

torch.manual_seed(10)
EPS = 1e-15
Q = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 2))
P = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 16), nn.Sigmoid())
D_gauss = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 1), nn.Sigmoid())

P_decoder = torch.optim.Adam(P.parameters(), lr=1e-3)
Q_encoder = torch.optim.Adam(Q.parameters(), lr=1e-3)
Q_generator = torch.optim.Adam(Q.parameters(), lr=5e-4)
D_gauss_solver = torch.optim.Adam(D_gauss.parameters(), lr=5e-4)

for step in range(8):
    X = torch.rand(12, 16)

    P.zero_grad()
    Q.zero_grad()
    D_gauss.zero_grad()
    recon_loss = nn.functional.binary_cross_entropy(P(Q(X)) + EPS, X)
    recon_loss.backward()
    P_decoder.step()
    Q_encoder.step()

    P.zero_grad()
    Q.zero_grad()
    D_gauss.zero_grad()
    z_real = torch.randn(12, 2) * 5.0
    D_loss = -torch.mean(torch.log(D_gauss(z_real) + EPS) + torch.log(1 - D_gauss(Q(X).detach()) + EPS))
    D_loss.backward()
    D_gauss_solver.step()

    P.zero_grad()
    Q.zero_grad()
    D_gauss.zero_grad()
    G_loss = -torch.mean(torch.log(D_gauss(Q(X)) + EPS))
    G_loss.backward()
    Q_generator.step()
