import torch
from torch import nn
from torch.amp import GradScaler

torch.manual_seed(0)
generator, critic = nn.Linear(3, 4), nn.Linear(4, 1)
opt_g = torch.optim.RMSprop(generator.parameters(), lr=5e-4)
opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
scaler = GradScaler("cpu", init_scale=64.0)
micro_batches = 2

for iteration in range(6):
    opt_c.zero_grad()
    for _ in range(micro_batches):
        real, fake = torch.randn(8, 4) + 2, generator(torch.randn(8, 3)).detach()
        c_loss = (critic(fake).mean() - critic(real).mean()) / micro_batches
        scaler.scale(c_loss).backward()
    scaler.unscale_(opt_c)
    nn.utils.clip_grad_norm_(generator.parameters(), 10.0)  # ZG408 lint watch
    scaler.step(opt_c)
    scaler.update()

    opt_g.zero_grad()
    g_loss = -critic(generator(torch.randn(8, 3))).mean()
    scaler.scale(g_loss).backward()
    scaler.unscale_(opt_g)
    nn.utils.clip_grad_norm_(generator.parameters(), 10.0)
    scaler.step(opt_g)
    scaler.update()
print(c_loss.item(), g_loss.item())
