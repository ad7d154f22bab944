import torch
from torch import nn

torch.manual_seed(23)
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
opt_a = torch.optim.Adam(actor.parameters(), 1e-3)
opt_c = torch.optim.Adam(actor.parameters(), 1e-3)  # ZG307 watch
for step in range(14):
    s, r = torch.randn(8, 4), torch.randn(8)
    d = torch.distributions.Categorical(logits=actor(s))
    a = d.sample()
    v = critic(s).squeeze(-1)
    loss = -(d.log_prob(a) * (r - v).detach()).mean() + (r - v).square().mean()
    opt_a.zero_grad()
    opt_c.zero_grad()
    loss.backward()
    opt_a.step()
    opt_c.step()
