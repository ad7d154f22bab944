"""A model under torch.compile with the eager backend and bfloat16 autocast."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3, padding=1)
        self.head = nn.Linear(4 * 12, 5)

    def forward(self, x):
        return self.head(torch.relu(self.conv(x)).flatten(1))


torch.manual_seed(3)
model = Net()
compiled = torch.compile(model, backend="eager")
optimizer = torch.optim.Adam(compiled.parameters(), lr=1e-2)
for step in range(15):
    x, y = torch.randn(8, 1, 12), torch.randint(0, 5, (8,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(compiled(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
