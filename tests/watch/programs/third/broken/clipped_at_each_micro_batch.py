import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(22)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), 0.1)
loader = DataLoader(TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,))), batch_size=8)
ACC = 4
for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        (F.cross_entropy(model(x), y) / ACC).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.05)  # ZG404 watch
        if (i + 1) % ACC == 0:
            opt.step()
            opt.zero_grad()
