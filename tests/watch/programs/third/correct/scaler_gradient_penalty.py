import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(36)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=4)
for step in range(12):
    x, y = torch.randn(16, 6), torch.randn(16, 1)
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    scaled = torch.autograd.grad(outputs=scaler.scale(loss), inputs=model.parameters(), create_graph=True)
    inv = 1.0 / scaler.get_scale()
    grads = [g * inv for g in scaled]
    norm = sum(g.pow(2).sum() for g in grads).sqrt()
    loss = loss + 0.1 * norm
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
