import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2))
discriminator = nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 1))
g_opt = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_opt = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
bce = nn.functional.binary_cross_entropy_with_logits

for step in range(6):
    real = torch.randn(8, 2) + 3
    fake = generator(torch.randn(8, 3))

    g_opt.zero_grad()
    score = discriminator(fake)
    g_loss = bce(score, torch.ones_like(score))
    g_loss.backward()
    g_opt.step()

    d_opt.zero_grad()
    on_real, on_fake = discriminator(real), discriminator(fake.detach())
    d_loss = bce(on_real, torch.ones_like(on_real)) + bce(on_fake, torch.zeros_like(on_fake))
    d_loss.backward()
    d_opt.step()
print(g_loss.item(), d_loss.item())
