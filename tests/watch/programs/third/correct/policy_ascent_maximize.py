import torch
from torch import nn

torch.manual_seed(93)
policy = nn.Linear(4, 2)
opt = torch.optim.Adam(policy.parameters(), 1e-2, maximize=True)
baseline = 0.0
for episode in range(14):
    log_probs, rewards = [], []
    for t in range(5):
        d = torch.distributions.Categorical(logits=policy(torch.randn(4)))
        a = d.sample()
        log_probs.append(d.log_prob(a))
        rewards.append(float(a))
    ret = sum(rewards)
    objective = torch.stack(log_probs).sum() * (ret - baseline)
    baseline = 0.9 * baseline + 0.1 * ret
    opt.zero_grad()
    objective.backward()
    opt.step()
