import torch
from torch import nn

torch.manual_seed(7)
cell = nn.GRU(3, 5, batch_first=True)
out = nn.Linear(5, 2)
params = [*cell.parameters(), *out.parameters()]
opt = torch.optim.SGD(params, lr=0.05)


def forward(x):
    hidden, _ = cell(x)
    return out(hidden[:, -1])


for i in range(16):
    x, y = torch.randn(4, 6, 3), torch.randint(0, 2, (4,))
    loss = nn.functional.cross_entropy(forward(x), y) / 8
    loss.backward()  # ZG204 lint watch
    if (i + 1) % 4 == 0:
        opt.step()
        opt.zero_grad()
print("done")
