import copy
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(54)
online = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
predictor = nn.Linear(4, 4)
target = copy.deepcopy(online)
for p in target.parameters():
    p.requires_grad_(False)
opt = torch.optim.SGD([*online.parameters(), *predictor.parameters()], 0.05, momentum=0.9)
for step in range(16):
    x = torch.randn(10, 6)
    a, b = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    loss = 0
    for u, v in ((a, b), (b, a)):
        loss = loss - F.cosine_similarity(predictor(online(u)), target(v)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    m = 0.99
    for p, t in zip(online.parameters(), target.parameters()):
        t.data = m * t.data + (1 - m) * p.data
