import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(75)
model = nn.Linear(6, 3)
opt = torch.optim.AdamW(model.parameters(), 1e-3)
for step in range(20):
    accumulate = 1 + step // 5
    opt.zero_grad()
    for _ in range(accumulate):
        x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
        loss = F.cross_entropy(model(x), y)
        (loss / accumulate).backward()
    opt.step()
