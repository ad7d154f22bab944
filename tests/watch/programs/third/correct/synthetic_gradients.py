import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(86)
lower, upper = nn.Sequential(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 3)
dni = nn.Linear(8, 8)
opt_l, opt_u = torch.optim.Adam(lower.parameters(), 1e-3), torch.optim.Adam(upper.parameters(), 1e-3)
opt_d = torch.optim.Adam(dni.parameters(), 1e-3)
for step in range(14):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    h = lower(x)
    predicted = dni(h.detach())
    opt_l.zero_grad()
    h.backward(predicted.detach())
    opt_l.step()
    cut = h.detach().requires_grad_()
    opt_u.zero_grad()
    F.cross_entropy(upper(cut), y).backward()
    opt_u.step()
    opt_d.zero_grad()
    F.mse_loss(predicted, cut.grad).backward()
    opt_d.step()
