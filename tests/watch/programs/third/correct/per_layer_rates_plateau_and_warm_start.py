import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(110)
model = nn.Sequential(*[nn.Linear(6, 6) for _ in range(3)], nn.Linear(6, 3))
groups = [{"params": layer.parameters(), "lr": 1e-3 * 0.8 ** (3 - i)} for i, layer in enumerate(model)]
opt = torch.optim.Adam(groups)
warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 6))
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=1)
loader = DataLoader(TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,))), batch_size=8)
step = 0
for epoch in range(4):
    running = 0.0
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        step += 1
        if step < 6:
            warm.step()
        running += loss.item()
    plateau.step(running)
