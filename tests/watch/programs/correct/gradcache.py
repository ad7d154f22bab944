import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(15)
enc = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(enc.parameters(), 1e-3)
for step in range(6):
    q, k = torch.randn(24, 10), torch.randn(24, 10)
    with torch.no_grad():
        reps = torch.cat([enc(c) for c in torch.cat([q, k]).split(8)])
    reps.requires_grad_()
    a, b = reps.chunk(2)
    loss = F.cross_entropy(a @ b.T, torch.arange(24))
    loss.backward()
    cache = reps.grad.split(8)
    opt.zero_grad()
    for chunk, g in zip(torch.cat([q, k]).split(8), cache):
        enc(chunk).backward(gradient=g)
    opt.step()
