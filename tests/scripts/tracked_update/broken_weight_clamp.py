import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Linear(2, 1)
optimizer = torch.optim.RMSprop(critic.parameters(), lr=5e-4)

for step in range(5):
    real, fake = torch.randn(8, 2) + 2, torch.randn(8, 2)
    optimizer.zero_grad()
    loss = critic(fake).mean() - critic(real).mean()
    loss.backward()
    optimizer.step()
    for p in critic.parameters():
        p.clamp_(-0.01, 0.01)  # ZG310 lint
    print(step, loss.item())
