import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(11)
real_score = nn.Linear(2, 2).requires_grad_(False)
fake_score = copy.deepcopy(real_score).requires_grad_(True)
generator = nn.Sequential(nn.Linear(2, 16), nn.SiLU(), nn.Linear(16, 2))
opt_g = torch.optim.AdamW(generator.parameters(), 1e-3)
opt_f = torch.optim.AdamW(fake_score.parameters(), 1e-3)
RATIO = 5
for step in range(25):
    z = torch.randn(16, 2)
    if step % RATIO == 0:
        fake_score.requires_grad_(False)
        x = generator(z)
        noised = x + 0.3 * torch.randn_like(x)
        with torch.no_grad():
            grad = fake_score(noised) - real_score(noised)
            grad = grad / grad.abs().mean().clamp_min(1e-6)
        loss = 0.5 * F.mse_loss(x, (x - grad).detach())
        opt_g.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(generator.parameters(), 10.0)
        opt_g.step()
        fake_score.requires_grad_(True)
    with torch.no_grad():
        x = generator(z)
    noise = torch.randn_like(x)
    loss = F.mse_loss(fake_score(x + 0.3 * noise), noise)
    opt_f.zero_grad(set_to_none=True)
    loss.backward()
    opt_f.step()
