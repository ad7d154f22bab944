import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)


def rollout(n=32):
    obs = torch.randn(n, 4)
    with torch.no_grad():
        dist = torch.distributions.Categorical(logits=policy(obs))
        actions = dist.sample()
        return obs, actions, dist.log_prob(actions), obs[:, 0] * (actions * 2.0 - 1.0)


for iteration in range(3):
    obs, actions, old_logp, advantage = rollout()
    for _ in range(4):
        logp = torch.distributions.Categorical(logits=policy(obs)).log_prob(actions)
        ratio = (logp - old_logp).exp()
        surrogate = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
        loss = -surrogate.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(iteration, f"{advantage.mean():.3f}")
