import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(105)
model = nn.Linear(6, 3).to(torch.bfloat16)
masters = [p.detach().float().clone().requires_grad_() for p in model.parameters()]
opt = torch.optim.AdamW(masters, 1e-3)
ACC = 2
buffers = [torch.zeros_like(m) for m in masters]
for step in range(10):
    for _ in range(ACC):
        x, y = torch.randn(8, 6, dtype=torch.bfloat16), torch.randint(0, 3, (8,))
        loss = F.cross_entropy(model(x).float(), y) / ACC
        loss.backward()
        for b, p in zip(buffers, model.parameters()):
            b.add_(p.grad.float())
            p.grad = None
    for m, b in zip(masters, buffers):
        m.grad = b.clone()
        b.zero_()
    nn.utils.clip_grad_norm_(masters, 1.0)
    opt.step()
    with torch.no_grad():
        for p, m in zip(model.parameters(), masters):
            p.copy_(m)
