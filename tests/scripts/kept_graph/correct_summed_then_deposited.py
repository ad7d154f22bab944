import torch
from torch import nn


class MultiHead(nn.Module):
    def __init__(self, heads=3):
        super().__init__()
        self.trunk = nn.Linear(8, 16)
        self.heads = nn.ModuleList(nn.Linear(16, 1) for _ in range(heads))

    def forward(self, x):
        h = self.trunk(x).relu()
        return [head(h) for head in self.heads]


torch.manual_seed(0)
model = MultiHead()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(8, 8)
    total_loss = 0
    for i, prediction in enumerate(model(x)):
        total_loss += nn.functional.mse_loss(prediction, x[:, i : i + 1])
    total_loss = total_loss / len(model.heads)
    optimizer.zero_grad()
    total_loss.backward()
    optimizer.step()
