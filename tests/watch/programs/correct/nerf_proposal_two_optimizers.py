import torch
from torch import nn
torch.manual_seed(10)
field = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 4))
proposal = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizers = {"fields": torch.optim.Adam(field.parameters(), lr=1e-2), "proposal": torch.optim.Adam(proposal.parameters(), lr=1e-2)}
schedulers = {k: torch.optim.lr_scheduler.ExponentialLR(o, 0.99) for k, o in optimizers.items()}
scaler = torch.amp.GradScaler("cpu", enabled=False)
for step in range(25):
    for o in optimizers.values():
        o.zero_grad()
    rays = torch.randn(32, 3)
    update_proposal = step < 5 or step % 3 == 0
    with torch.set_grad_enabled(update_proposal):
        weights = proposal(rays).softmax(0)
    out = field(rays)
    rgb = (out[:, :3].sigmoid() * weights.detach()).sum(0)
    losses = {"rgb": (rgb - 0.5).square().mean()}
    if update_proposal:
        losses["interlevel"] = (out[:, 3:].softmax(0).detach() - weights).clamp(min=0).square().sum()
    loss = sum(losses.values())
    scaler.scale(loss).backward()
    for name, o in optimizers.items():
        if any(p.grad is not None for g in o.param_groups for p in g["params"]):
            scaler.step(o)
    scaler.update()
    for s in schedulers.values():
        s.step()
