import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 1))
opts = {p: torch.optim.AdamW([p], lr=1e-3, foreach=False) for p in model.parameters()}
def hook(p):
    opts[p].step()
    opts[p].zero_grad()
for p in model.parameters():
    p.register_post_accumulate_grad_hook(hook)
for step in range(12):
    x = torch.randn(16, 6)
    ((model(x) - x.mean(1, keepdim=True)) ** 2).mean().backward()
