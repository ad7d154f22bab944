import torch
from torch import nn
torch.manual_seed(19)
server = nn.Linear(5, 1)
opt = torch.optim.SGD(server.parameters(), lr=0.05)
clients = [torch.randn(n, 5) for n in (8, 12, 20)]
total = sum(map(len, clients))
for rnd in range(8):
    opt.zero_grad()
    for x in clients:
        loss = (server(x) - x.mean(1, True)).square().mean() * len(x) / total
        loss.backward()
    opt.step()
