"""PPO: several epochs of minibatches over one rollout, a joint loss, gradient clipping."""
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
actor, critic = nn.Linear(32, 2), nn.Linear(32, 1)
agent = nn.ModuleList([body, actor, critic])
optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
batch_size, minibatch_size, clip_coef, target_kl = 32, 8, 0.2, 0.5

for update in range(2):
    obs = torch.randn(batch_size, 4)
    with torch.no_grad():
        h = body(obs)
        dist = Categorical(logits=actor(h))
        actions = dist.sample()
        logprobs, values = dist.log_prob(actions), critic(h).flatten()
        returns = (actions == (obs[:, 0] > 0)).float()
        advantages = returns - values

    for epoch in range(3):
        for idx in torch.randperm(batch_size).split(minibatch_size):
            h = body(obs[idx])
            dist = Categorical(logits=actor(h))
            logratio = dist.log_prob(actions[idx]) - logprobs[idx]
            ratio = logratio.exp()
            with torch.no_grad():
                approx_kl = ((ratio - 1) - logratio).mean()
            surrogate = torch.max(-advantages[idx] * ratio, -advantages[idx] * ratio.clamp(1 - clip_coef, 1 + clip_coef))
            v_loss = 0.5 * ((critic(h).flatten() - returns[idx]) ** 2).mean()
            loss = surrogate.mean() - 0.01 * dist.entropy().mean() + v_loss * 0.5
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
        if approx_kl > target_kl:
            break
