import torch
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Linear(3, 1), nn.Linear(3, 1)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")


def clip(optimizer, module):
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(module.parameters(), 0.5)


for update in range(5):
    obs = torch.randn(8, 3)
    advantage = obs.sum(1, keepdim=True) - critic(obs)
    loss = advantage.square().mean() - (actor(obs) * advantage.detach()).mean()
    actor_opt.zero_grad()
    critic_opt.zero_grad()
    scaler.scale(loss).backward()
    clip(actor_opt, actor)
    clip(critic_opt, critic)
    scaler.step(actor_opt)
    scaler.step(critic_opt)
    scaler.update()
print(loss.item())
