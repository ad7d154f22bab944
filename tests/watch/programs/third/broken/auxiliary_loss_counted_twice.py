import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(19)
trunk, head, aux = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(8, 3)
opt = torch.optim.Adam([*trunk.parameters(), *head.parameters(), *aux.parameters()], 1e-3)
for step in range(14):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    h = trunk(x).relu()
    aux_loss = F.cross_entropy(aux(h), y)
    opt.zero_grad()
    aux_loss.backward(retain_graph=True)
    loss = F.cross_entropy(head(h), y) + 0.4 * aux_loss
    loss.backward()  # ZG603 watch
    opt.step()
