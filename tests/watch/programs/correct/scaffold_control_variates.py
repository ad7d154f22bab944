import copy
import torch
from torch import nn
torch.manual_seed(17)
server = nn.Linear(4, 1)
c = [torch.zeros_like(p) for p in server.parameters()]
clients = [{"x": torch.randn(20, 4) + i, "c": [torch.zeros_like(p) for p in server.parameters()]} for i in range(3)]
lr = 0.02
for rnd in range(4):
    deltas, dcs = [], []
    for client in clients:
        local = copy.deepcopy(server)
        opt = torch.optim.SGD(local.parameters(), lr=lr)
        steps = 0
        for xb in torch.utils.data.DataLoader(client["x"], batch_size=8):
            opt.zero_grad()
            (local(xb) - xb.sum(1, keepdim=True)).square().mean().backward()
            for p, ci, cg in zip(local.parameters(), client["c"], c):
                p.grad.data += cg - ci
            opt.step(); steps += 1
        with torch.no_grad():
            new_c = [ci - cg + (s - l) / (steps * lr) for ci, cg, s, l in zip(client["c"], c, server.parameters(), local.parameters())]
            dcs.append([n - o for n, o in zip(new_c, client["c"])])
            deltas.append([l - s for s, l in zip(server.parameters(), local.parameters())])
            client["c"] = new_c
    with torch.no_grad():
        for i, p in enumerate(server.parameters()):
            p.add_(torch.stack([d[i] for d in deltas]).mean(0))
            c[i] += torch.stack([d[i] for d in dcs]).mean(0)
