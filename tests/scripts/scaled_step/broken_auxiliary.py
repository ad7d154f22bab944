import torch
from torch import nn

torch.manual_seed(0)
backbone, density = nn.Linear(8, 8), nn.Linear(8, 1)
opt_backbone = torch.optim.SGD(backbone.parameters(), lr=0.01)
opt_density = torch.optim.SGD(density.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")

for step in range(6):
    x = torch.randn(4, 8)
    opt_backbone.zero_grad()
    opt_density.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = backbone(x)
    main_loss = nn.functional.mse_loss(y.float(), x)
    scaler.scale(main_loss).backward()
    scaler.step(opt_backbone)

    density_loss = density(x).square().mean()
    density_loss.backward()
    scaler.step(opt_density)  # ZG406 lint watch
    scaler.update()
print(main_loss.item(), density_loss.item())
