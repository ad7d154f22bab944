import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
body, head = nn.Linear(6, 6), nn.Linear(6, 1)
body_opt = torch.optim.SGD(body.parameters(), lr=0.01)
head_opt = torch.optim.SGD(head.parameters(), lr=0.05)
opts = (body_opt, head_opt)
loader = DataLoader(TensorDataset(torch.randn(48, 6), torch.randn(48, 1)), batch_size=4)
n_accum = 4

for i, (x, y) in enumerate(loader):
    for opt in opts:
        opt.zero_grad()  # ZG103 lint watch
    loss = nn.functional.mse_loss(head(body(x).relu()), y) / n_accum
    loss.backward()
    if (i + 1) % n_accum == 0:
        for opt in opts:
            opt.step()
print(round(loss.item() * n_accum, 3))
