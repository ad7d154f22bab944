import copy
import torch
from torch import nn
torch.manual_seed(7)
class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Embedding(50, 16)
        self.net = nn.Sequential(nn.Linear(2 + 16, 32), nn.SiLU(), nn.Linear(32, 2))
    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], -1))
model = Denoiser()
ema = copy.deepcopy(model).requires_grad_(False)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
alpha_bar = torch.cumprod(1 - torch.linspace(1e-4, 0.05, 50), 0)
ds = torch.utils.data.TensorDataset(torch.randn(64, 2))
for epoch in range(3):
    for (x0,) in torch.utils.data.DataLoader(ds, batch_size=16, shuffle=True):
        t = torch.randint(0, 50, (len(x0),))
        eps = torch.randn_like(x0)
        a = alpha_bar[t, None]
        loss = (model(a.sqrt() * x0 + (1 - a).sqrt() * eps, t) - eps).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), model.parameters()):
                e.lerp_(p, 0.01)
