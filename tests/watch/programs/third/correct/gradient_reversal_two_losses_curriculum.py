import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(102)
feat, cls, dom = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(8, 2)
opt = torch.optim.SGD([*feat.parameters(), *cls.parameters(), *dom.parameters()], 0.05)
src = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=8)
tgt = DataLoader(TensorDataset(torch.randn(32, 6) + 1), batch_size=8)
for epoch in range(4):
    lam = 2 / (1 + math.exp(-epoch)) - 1
    for (x, y), (t,) in zip(src, tgt):
        opt.zero_grad()
        h = feat(x).relu()
        F.cross_entropy(cls(h), y).backward(retain_graph=True)
        hs = h * 1.0
        hs.register_hook(lambda g: -lam * g)
        F.cross_entropy(dom(hs), torch.zeros(8, dtype=torch.long)).backward()
        ht = feat(t).relu()
        ht.register_hook(lambda g: -lam * g)
        F.cross_entropy(dom(ht), torch.ones(8, dtype=torch.long)).backward()
        opt.step()
