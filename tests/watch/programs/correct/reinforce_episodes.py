import torch
from torch import nn
torch.manual_seed(28)
pi = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
opt = torch.optim.Adam(pi.parameters(), lr=1e-2)
batch_size = 4
for batch in range(4):
    opt.zero_grad()
    for episode in range(batch_size):
        obs = torch.randn(3)
        logs, rewards = [], []
        for t in range(5):
            d = torch.distributions.Categorical(logits=pi(obs))
            a = d.sample()
            logs.append(d.log_prob(a)); rewards.append(float(a))
            obs = obs + 0.1 * (a - 0.5)
        R = sum(rewards)
        loss = -torch.stack(logs).sum() * (R - 2.5) / batch_size
        loss.backward()
    opt.step()
