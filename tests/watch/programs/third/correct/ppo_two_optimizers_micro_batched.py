import torch
from torch import nn

torch.manual_seed(8)
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
opt_actor = torch.optim.Adam(actor.parameters(), 3e-4, eps=1e-5)
opt_critic = torch.optim.Adam(critic.parameters(), 1e-3, eps=1e-5)
UPDATES, MICRO = 5, 2
for update in range(UPDATES):
    lr = (1 - update / UPDATES) * 3e-4
    opt_actor.param_groups[0]["lr"] = lr
    obs = torch.randn(32, 4)
    with torch.no_grad():
        dist = torch.distributions.Categorical(logits=actor(obs))
        act = dist.sample()
        old = dist.log_prob(act)
        values = critic(obs).squeeze(-1)
    returns = torch.randn(32)
    adv = returns - values
    for epoch in range(4):
        kl = []
        for idx in torch.randperm(32).split(16):
            opt_actor.zero_grad()
            opt_critic.zero_grad()
            for mb in idx.split(16 // MICRO):
                d = torch.distributions.Categorical(logits=actor(obs[mb]))
                logratio = d.log_prob(act[mb]) - old[mb]
                ratio = logratio.exp()
                a = (adv[mb] - adv[mb].mean()) / (adv[mb].std() + 1e-8)
                pg = torch.max(-a * ratio, -a * ratio.clamp(0.8, 1.2)).mean()
                v = 0.5 * (critic(obs[mb]).squeeze(-1) - returns[mb]).pow(2).mean()
                loss = (pg - 0.01 * d.entropy().mean() + v) / MICRO
                loss.backward()
                kl.append(((ratio - 1) - logratio).mean().item())
            nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
            nn.utils.clip_grad_norm_(critic.parameters(), 0.5)
            opt_actor.step()
            opt_critic.step()
        if sum(kl) / len(kl) > 0.02:
            break
