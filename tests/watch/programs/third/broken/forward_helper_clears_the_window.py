import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(21)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), 0.1)
loader = DataLoader(TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,))), batch_size=8)
ACC = 4


def train_step(x, y):
    model.train()
    model.zero_grad()  # ZG103 watch
    loss = F.cross_entropy(model(x), y) / ACC
    loss.backward()
    return loss.item()


for epoch in range(4):
    for i, (x, y) in enumerate(loader):
        train_step(x, y)
        if (i + 1) % ACC == 0:
            opt.step()
