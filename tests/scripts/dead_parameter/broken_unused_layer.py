import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width)
        self.gate = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


torch.manual_seed(0)
net = nn.Sequential(Block(6), Block(6), nn.Linear(6, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)  # ZG305 watch
for _ in range(5):
    x = torch.randn(10, 6)
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
