import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(7)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.SGD(model.parameters(), 0.1)
BATCH, ACC = 8, 4
loader = DataLoader(TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,))), batch_size=BATCH)
for epoch in range(4):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / BATCH
        loss.backward()  # ZG204 watch
        if (i + 1) % ACC == 0:
            opt.step()
            opt.zero_grad()
