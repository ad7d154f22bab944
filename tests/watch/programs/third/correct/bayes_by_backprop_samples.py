import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(74)


class BayesLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.mu, self.rho = nn.Parameter(torch.randn(o, i) * 0.1), nn.Parameter(torch.full((o, i), -3.0))

    def forward(self, x):
        sigma = F.softplus(self.rho)
        w = self.mu + sigma * torch.randn_like(sigma)
        self.kl = (0.5 * (self.mu**2 + sigma**2) - sigma.log()).sum()
        return F.linear(x, w)


net = nn.Sequential(BayesLinear(6, 8), nn.ReLU(), BayesLinear(8, 3))
opt = torch.optim.Adam(net.parameters(), 1e-3)
loader = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=8)
SAMPLES = 3
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        for _ in range(SAMPLES):
            nll = F.cross_entropy(net(x), y)
            loss = (nll + (net[0].kl + net[2].kl) / 32 / len(loader)) / SAMPLES
            loss.backward()
        opt.step()
