import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(17)
model = nn.Linear(6, 3)
forget = DataLoader(TensorDataset(torch.randn(24, 6), torch.randint(0, 3, (24,))), batch_size=8)
retain = DataLoader(TensorDataset(torch.randn(48, 6), torch.randint(0, 3, (48,))), batch_size=8)
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
for epoch in range(3):
    for (fx, fy), (rx, ry) in zip(forget, retain):
        optimizer.zero_grad()
        forget_loss = F.cross_entropy(model(fx), fy)
        (-0.5 * forget_loss).backward()
        retain_loss = F.cross_entropy(model(rx), ry)
        retain_loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
ascent = torch.optim.SGD(model.parameters(), lr=1e-3, maximize=True)
for fx, fy in forget:
    ascent.zero_grad()
    F.cross_entropy(model(fx), fy).backward()
    ascent.step()
