import copy
import torch
from torch import nn
torch.manual_seed(39)
x = torch.randn(96, 5); y = (x.sum(1) > 0).long()
members = []
for i in range(3):
    net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2))
    members.append({"net": net, "opt": torch.optim.SGD(net.parameters(), lr=10 ** -(i + 1), momentum=0.9), "score": 0.0})  # ZG306 watch
for generation in range(4):
    for m in members:
        for idx in torch.randperm(96).split(24):
            m["opt"].zero_grad()
            nn.functional.cross_entropy(m["net"](x[idx]), y[idx]).backward()
            m["opt"].step()
        with torch.no_grad():
            m["score"] = (m["net"](x).argmax(1) == y).float().mean().item()
    members.sort(key=lambda m: m["score"])
    worst, best = members[0], members[-1]
    worst["net"] = copy.deepcopy(best["net"])
    worst["opt"].load_state_dict(best["opt"].state_dict())
    for g in worst["opt"].param_groups:
        g["lr"] *= 1.2
