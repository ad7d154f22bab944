import math
import torch
from torch import nn
torch.manual_seed(6)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
pairs = torch.utils.data.TensorDataset(torch.randn(70, 8) + 0.2, torch.randn(70, 8))
loader = torch.utils.data.DataLoader(pairs, batch_size=8, shuffle=True, drop_last=True)
accum = 3
for epoch in range(3):
    n = len(loader)
    for i, (chosen, rejected) in enumerate(loader):
        window = min(accum, n - i // accum * accum)
        margin = model(chosen) - model(rejected)
        loss = -nn.functional.logsigmoid(margin).mean() / window
        loss.backward()
        if (i + 1) % accum == 0:
            opt.step()  # ZG202 watch
            opt.zero_grad()
    print(epoch, math.ceil(n / accum))
