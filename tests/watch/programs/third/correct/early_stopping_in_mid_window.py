import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(98)
train = DataLoader(TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,))), batch_size=4)
vx, vy = torch.randn(16, 6), torch.randint(0, 3, (16,))
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), 0.5)
best, best_state, bad, stop = float("inf"), None, 0, False
ACC = 2
for epoch in range(10):
    opt.zero_grad()
    for i, (x, y) in enumerate(train):
        (F.cross_entropy(model(x), y) / ACC).backward()
        if (i + 1) % ACC == 0:
            opt.step()
            opt.zero_grad()
        if i % 3 == 2:
            model.eval()
            with torch.no_grad():
                val = F.cross_entropy(model(vx), vy).item()
            model.train()
            if val < best:
                best, best_state, bad = val, copy.deepcopy(model.state_dict()), 0
            else:
                bad += 1
            if bad > 2:
                stop = True
                break
    if stop:
        break
model.load_state_dict(best_state)
