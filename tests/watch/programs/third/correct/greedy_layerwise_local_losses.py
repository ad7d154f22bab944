import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(87)
layers = [nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 8)]
aux = [nn.Linear(8, 3) for _ in layers]
opts = [torch.optim.Adam([*l.parameters(), *a.parameters()], 1e-3) for l, a in zip(layers, aux)]
for step in range(12):
    h, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    for layer, head, opt in zip(layers, aux, opts):
        h = layer(h.detach()).relu()
        loss = F.cross_entropy(head(h), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
