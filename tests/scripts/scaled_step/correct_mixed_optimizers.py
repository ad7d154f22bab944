"""The large network runs in 16 bits with a scaler, the small one in 32 bits without."""
import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Linear(8, 8)
prior = nn.Linear(2, 2)
opt_backbone = torch.optim.SGD(backbone.parameters(), lr=0.01)
opt_prior = torch.optim.SGD(prior.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")

for step in range(6):
    x, z = torch.randn(4, 8), torch.randn(4, 2)
    opt_backbone.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = backbone(x)
    main_loss = nn.functional.mse_loss(y.float(), x)
    scaler.scale(main_loss).backward()
    scaler.step(opt_backbone)
    scaler.update()

    opt_prior.zero_grad()
    prior_loss = prior(z).square().mean()
    prior_loss.backward()
    opt_prior.step()
print(main_loss.item(), prior_loss.item())
