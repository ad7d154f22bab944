"""3D-GAN style: the discriminator steps only while its accuracy is low."""
import torch
from torch import nn

torch.manual_seed(1)
D = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1), nn.Sigmoid())
G = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 6))
D_solver = torch.optim.Adam(D.parameters(), lr=5e-3)
G_solver = torch.optim.Adam(G.parameters(), lr=5e-4)
criterion = nn.BCELoss()
d_thresh = 0.8
steps = 0

for i in range(24):
    X = torch.randn(16, 6) * 0.5 + 2
    real_labels, fake_labels = torch.ones(16, 1), torch.zeros(16, 1)

    d_real = D(X)
    d_real_loss = criterion(d_real, real_labels)
    fake = G(torch.randn(16, 3))
    d_fake = D(fake)
    d_fake_loss = criterion(d_fake, fake_labels)
    d_loss = d_real_loss + d_fake_loss

    d_real_acc = torch.ge(d_real.squeeze(), 0.5).float()
    d_fake_acc = torch.le(d_fake.squeeze(), 0.5).float()
    d_total_acc = torch.mean(torch.cat((d_real_acc, d_fake_acc), 0))

    if d_total_acc <= d_thresh:
        D.zero_grad()
        d_loss.backward()
        D_solver.step()
        steps += 1

    fake = G(torch.randn(16, 3))
    g_loss = criterion(D(fake), real_labels)
    D.zero_grad()
    G.zero_grad()
    g_loss.backward()
    G_solver.step()

print("discriminator stepped", steps, "times of", i + 1)
