import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Sequential(nn.Linear(3, 1), nn.Tanh()), nn.Linear(4, 1)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
own = list(actor.parameters())

for _ in range(16):
    s, a = torch.randn(8, 3), torch.rand(8, 1)
    critic_opt.zero_grad()
    F.mse_loss(critic(torch.cat([s, a], 1)), s.sum(1, keepdim=True) * a).backward()
    critic_opt.step()

    actor_opt.zero_grad()
    (-critic(torch.cat([s, actor(s)], 1)).mean()).backward(inputs=own)
    actor_opt.step()
