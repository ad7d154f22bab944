"""Several losses over one forward, each deposited by itself."""
import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(10, 20)
        self.heads = nn.ModuleList([nn.Linear(20, n) for n in (2, 3, 4)])

    def forward(self, x):
        h = torch.relu(self.shared(x))
        return [head(h) for head in self.heads]


torch.manual_seed(0)
model = MultiTask()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for _ in range(8):
    outputs = model(torch.randn(8, 10))
    losses = [nn.functional.cross_entropy(out, torch.randint(0, out.shape[1], (8,))) for out in outputs]
    optimizer.zero_grad()
    for l in losses:
        l.backward(retain_graph=True)
    optimizer.step()
