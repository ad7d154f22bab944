"""Alternating minimisation: two optimizers over the same network, each with its own clear."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
fit_optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
robust_optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)

for step in range(12):
    x, y = torch.randn(16, 5), torch.randint(0, 2, (16,))
    if step % 2 == 0:
        fit_optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        fit_optimizer.step()
    else:
        noisy = x + 0.1 * torch.randn_like(x)
        robust_optimizer.zero_grad()
        nn.functional.kl_div(net(noisy).log_softmax(1), net(x).softmax(1).detach(), reduction="batchmean").backward()
        robust_optimizer.step()
