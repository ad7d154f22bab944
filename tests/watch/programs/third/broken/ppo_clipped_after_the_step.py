import torch
from torch import nn

torch.manual_seed(8)
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], 3e-4)
for update in range(4):
    obs, returns = torch.randn(32, 4), torch.randn(32)
    with torch.no_grad():
        d = torch.distributions.Categorical(logits=actor(obs))
        act = d.sample()
        old = d.log_prob(act)
        adv = returns - critic(obs).squeeze(-1)
    for epoch in range(3):
        for mb in torch.randperm(32).split(16):
            d = torch.distributions.Categorical(logits=actor(obs[mb]))
            ratio = (d.log_prob(act[mb]) - old[mb]).exp()
            loss = -torch.min(ratio * adv[mb], ratio.clamp(0.8, 1.2) * adv[mb]).mean()
            loss = loss + 0.5 * (critic(obs[mb]).squeeze(-1) - returns[mb]).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            nn.utils.clip_grad_norm_(actor.parameters(), 0.5)  # ZG401 watch
