import torch
from torch import nn
torch.manual_seed(23)
G = nn.Linear(4, 2)
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
og, od = torch.optim.RMSprop(G.parameters(), 1e-3), torch.optim.RMSprop(D.parameters(), 1e-3)
for it in range(10):
    real = torch.randn(16, 2)
    fake = G(torch.randn(16, 4))
    od.zero_grad()
    for x, label in ((real, 1.0), (fake.detach(), 0.0)):
        out = D(x)
        nn.functional.binary_cross_entropy_with_logits(out, torch.full_like(out, label)).backward()
    od.step()
    og.zero_grad()
    out = D(fake)
    nn.functional.binary_cross_entropy_with_logits(out, torch.ones_like(out)).backward()
    og.step()
