import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
ACCUM = 2
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.utils.spectral_norm(nn.Linear(2, 16)), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_g = torch.optim.Adam(G.parameters(), 1e-4, betas=(0.0, 0.9))
opt_d = torch.optim.Adam(D.parameters(), 4e-4, betas=(0.0, 0.9))
loader = DataLoader(TensorDataset(torch.randn(64, 2)), batch_size=8)
for epoch in range(3):
    batches = iter(loader)
    for _ in range(len(loader) // ACCUM):
        opt_d.zero_grad()
        for _ in range(ACCUM):
            (real,) = next(batches)
            with torch.no_grad():
                fake = G(torch.randn(8, 4))
            d_loss = (torch.relu(1 - D(real)).mean() + torch.relu(1 + D(fake)).mean()) / ACCUM
            d_loss.backward()
        opt_d.step()
        opt_g.zero_grad()
        for _ in range(ACCUM):
            g_loss = -D(G(torch.randn(8, 4))).mean() / ACCUM
            g_loss.backward()
        opt_g.step()
