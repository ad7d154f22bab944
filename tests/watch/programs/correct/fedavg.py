import copy
import torch
from torch import nn
torch.manual_seed(18)
server = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2))
clients = [(torch.randn(30, 5), torch.randint(0, 2, (30,))) for _ in range(3)]
for rnd in range(3):
    states = []
    for x, y in clients:
        local = copy.deepcopy(server)
        opt = torch.optim.SGD(local.parameters(), lr=0.1)
        for xb, yb in zip(x.split(10), y.split(10)):
            opt.zero_grad()
            nn.functional.cross_entropy(local(xb), yb).backward()
            opt.step()
        states.append(local.state_dict())
    server.load_state_dict({k: sum(s[k] for s in states) / len(states) for k in states[0]})
