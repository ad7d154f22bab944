import torch
from torch import nn
torch.manual_seed(53)
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.mu, self.lv, self.dec = nn.Linear(8, 8), nn.Linear(8, 2), nn.Linear(8, 2), nn.Linear(2, 8)
    def forward(self, x):
        h = self.enc(x).relu()
        mu, lv = self.mu(h), self.lv(h)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
        return self.dec(z), mu, lv
class Meter:
    def __init__(self):
        self.sum = self.n = 0
    def update(self, v, n=1):
        self.sum += v * n
        self.n += n
vae, meter = VAE(), Meter()
opt = torch.optim.Adam(vae.parameters(), 1e-3)
losses = []
for epoch in range(3):
    for x in torch.randn(8, 6, 8):
        out, mu, lv = vae(x)
        loss = (out - x).square().sum(1).mean() - 0.5 * (1 + lv - mu.square() - lv.exp()).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        meter.update(loss.detach(), len(x))
        losses.append(loss.item())
