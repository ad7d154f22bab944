import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
model = nn.Linear(6, 3)
opt = torch.optim.AdamW(model.parameters(), 1e-3)
loader = DataLoader(TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,))), batch_size=8)
ACC, EPOCHS = 4, 4
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-3, total_steps=200)
for epoch in range(EPOCHS):
    for i, (x, y) in enumerate(loader):
        (F.cross_entropy(model(x), y) / ACC).backward()
        if (i + 1) % ACC == 0:
            opt.step()
            opt.zero_grad()
        sched.step()
