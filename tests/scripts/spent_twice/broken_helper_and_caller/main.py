import torch
from torch import nn

from training import train_batch

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 3))
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
data = [(torch.randn(6, 8), torch.randint(0, 3, (6,))) for _ in range(5)]

for epoch in range(2):
    for batch in data:
        loss = train_batch(model, opt, batch)
        opt.step()  # ZG302 lint watch
    print(epoch, loss)
