import torch
from torch import nn

torch.manual_seed(0)
critic, generator = nn.Linear(2, 1), nn.Linear(2, 2)
c_opt = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
g_opt = torch.optim.RMSprop(generator.parameters(), lr=5e-4)

for iteration in range(4):
    for _ in range(3):
        for p in critic.parameters():
            p.data.clamp_(-0.05, 0.05)
        real, fake = torch.randn(8, 2) + 2, generator(torch.randn(8, 2)).detach()
        c_opt.zero_grad()
        c_loss = critic(fake).mean() - critic(real).mean()
        c_loss.backward()
        nn.utils.clip_grad_norm_(critic.parameters(), 10.0)
        c_opt.step()
    g_opt.zero_grad()
    g_loss = -critic(generator(torch.randn(8, 2))).mean()
    g_loss.backward()
    nn.utils.clip_grad_norm_(generator.parameters(), 10.0)
    g_opt.step()
print(c_loss.item(), g_loss.item())
