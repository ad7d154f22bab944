import torch
from torch import nn
torch.manual_seed(48)
net = nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
loader = torch.utils.data.DataLoader(torch.randn(64, 8), batch_size=16)
def gradient(x):
    net.zero_grad()
    (net(x) - x[:, :1]).square().mean().backward()
    return torch.cat([p.grad.flatten() for p in net.parameters()])
noise = []
for epoch in range(3):
    for x in loader:
        if epoch == 1:
            small, big = gradient(x[:4]), gradient(x)
            noise.append((small.norm() ** 2 - big.norm() ** 2).item())
        for echo in range(2):
            opt.zero_grad()
            xb = x + 0.05 * torch.randn_like(x)
            (net(xb) - xb[:, :1]).square().mean().backward()
            opt.step()
