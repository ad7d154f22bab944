import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(82)
server = nn.Linear(6, 3)
clients = [DataLoader(TensorDataset(torch.randn(16, 6), torch.randint(0, 3, (16,))), batch_size=8) for _ in range(3)]
for round_ in range(4):
    states = []
    for loader in clients:
        local = copy.deepcopy(server)
        opt = torch.optim.SGD(local.parameters(), 0.1)
        for x, y in loader:
            prox = sum((a - b.detach()).pow(2).sum() for a, b in zip(local.parameters(), server.parameters()))
            opt.zero_grad()
            (F.cross_entropy(local(x), y) + 0.005 * prox).backward()
            opt.step()
        states.append(local.state_dict())
    server.load_state_dict({k: torch.stack([s[k] for s in states]).mean(0) for k in states[0]})
