import copy
import torch
from torch import nn
torch.manual_seed(26)
actor = nn.Linear(3, 2)
q = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
q_target = copy.deepcopy(q)
log_alpha = torch.zeros(1, requires_grad=True)
pi_opt, q_opt, a_opt = torch.optim.Adam(actor.parameters(), 1e-4), torch.optim.Adam(q.parameters(), 1e-3), torch.optim.Adam([log_alpha], 1e-3)
for step in range(16):
    s, a, r, s2 = torch.randn(8, 3), torch.randn(8, 2), torch.randn(8, 1), torch.randn(8, 3)
    with torch.no_grad():
        backup = r + .99 * q_target(torch.cat([s2, actor(s2)], 1))
    q_loss = (q(torch.cat([s, a], 1)) - backup).square().mean()
    q_opt.zero_grad()
    q_loss.backward()
    q_opt.step()
    if step % 2:
        for p in q.parameters():
            p.requires_grad_(False)
        new = actor(s)
        pi_loss = (log_alpha.exp().detach() * new.square().sum(1) - q(torch.cat([s, new], 1)).squeeze()).mean()
        pi_opt.zero_grad()
        pi_loss.backward()
        pi_opt.step()
        for p in q.parameters():
            p.requires_grad_(True)
        a_loss = -(log_alpha * (new.detach().square().sum(1) - 2)).mean()
        a_loss.backward()  # ZG101 watch
        a_opt.step()
    with torch.no_grad():
        for p, t in zip(q.parameters(), q_target.parameters()):
            t.data.mul_(0.995).add_(0.005 * p.data)
