import torch
from torch import nn
torch.manual_seed(48)
class Factor(nn.Module):
    def __init__(self):
        super().__init__()
        self.users, self.items = nn.Embedding(10, 4), nn.Embedding(12, 4)
    def forward(self, u, i):
        return (self.users(u) * self.items(i)).sum(-1)
m = Factor()
blocks = [torch.optim.SGD(m.users.parameters(), 0.1), torch.optim.SGD(m.items.parameters(), 0.1)]
for it in range(12):
    u, i, r = torch.randint(0, 10, (16,)), torch.randint(0, 12, (16,)), torch.rand(16)
    m.zero_grad()
    loss = (m(u, i) - r).square().mean()
    loss.backward()
    blocks[it % 2].step()
