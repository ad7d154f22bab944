import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(51)
model = nn.Linear(8, 3)
opt = torch.optim.SGD(model.parameters(), 1e-2)
memory = {p: torch.zeros_like(p) for p in model.parameters()}
for step in range(15):
    x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
    opt.zero_grad()
    F.cross_entropy(model(x), y).backward()
    with torch.no_grad():
        for p in model.parameters():
            corrected = p.grad + memory[p]
            compressed = corrected.sign() * corrected.abs().mean()
            memory[p] = corrected - compressed
            p.grad.copy_(compressed)
    opt.step()
