import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(14)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(6, 8), nn.Linear(8, 10)

    def forward(self, x):
        return self.head(self.body(x).relu())


model = Net()
opt = torch.optim.AdamW(model.parameters(), 1e-3)  # ZG306 watch
model.head = nn.Linear(8, 3)
for step in range(14):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    opt.zero_grad()
    F.cross_entropy(model(x), y).backward()
    opt.step()
