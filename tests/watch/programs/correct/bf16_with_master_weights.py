import torch
from torch import nn
torch.manual_seed(32)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(torch.bfloat16)
master = [p.detach().clone().float().requires_grad_() for p in model.parameters()]
opt = torch.optim.AdamW(master, lr=1e-2)
accum = 2
data = torch.utils.data.DataLoader(torch.randn(64, 8), batch_size=8)
for epoch in range(3):
    for i, x in enumerate(data):
        x = x.bfloat16()
        loss = (model(x) - x.sum(1, keepdim=True)).float().square().mean() / accum
        loss.backward()
        for p, m in zip(model.parameters(), master):
            g = p.grad.float()
            m.grad = g if m.grad is None else m.grad + g
            p.grad = None
        if (i + 1) % accum == 0:
            nn.utils.clip_grad_norm_(master, 1.0)
            opt.step()
            opt.zero_grad()
            with torch.no_grad():
                for p, m in zip(model.parameters(), master):
                    p.copy_(m)
