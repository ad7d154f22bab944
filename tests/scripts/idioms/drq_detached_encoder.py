"""Pixel-based control: the encoder learns from the critic's loss only, the actor sees it detached."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten())
critic, actor = nn.Linear(64 + 1, 1), nn.Sequential(nn.Linear(64, 1), nn.Tanh())
encoder_opt = torch.optim.Adam(encoder.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)

for _ in range(8):
    obs, action, target = torch.rand(6, 1, 6, 6), torch.rand(6, 1), torch.randn(6, 1)
    features = encoder(obs)
    critic_loss = F.mse_loss(critic(torch.cat([features, action], 1)), target)
    encoder_opt.zero_grad(set_to_none=True)
    critic_opt.zero_grad(set_to_none=True)
    critic_loss.backward()
    critic_opt.step()
    encoder_opt.step()

    detached = features.detach()
    actor_loss = -critic(torch.cat([detached, actor(detached)], 1)).mean()
    actor_opt.zero_grad(set_to_none=True)
    actor_loss.backward()
    actor_opt.step()
