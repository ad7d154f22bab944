import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(68)
G = nn.ModuleList([nn.Linear(4, 4)])
D = nn.ModuleList([nn.Linear(4, 4)])
g_head, d_head = nn.Linear(4, 2), nn.Linear(4, 1)
d_in = nn.Linear(2, 4)
opt_g = torch.optim.Adam([*G.parameters(), *g_head.parameters()], 1e-3)
opt_d = torch.optim.Adam([*D.parameters(), *d_head.parameters(), *d_in.parameters()], 1e-3)
for stage in range(3):
    if stage:
        for stack, opt in ((G, opt_g), (D, opt_d)):
            stack.append(nn.Linear(4, 4))
            opt.add_param_group({"params": stack[-1].parameters()})
    for step in range(6):
        alpha = min(1.0, step / 3)

        def run(stack, h):
            for l in stack[:-1]:
                h = l(h).relu()
            return (1 - alpha) * h + alpha * stack[-1](h).relu()

        z, real = torch.randn(8, 4), torch.randn(8, 2)
        fake = g_head(run(G, z))
        opt_d.zero_grad()
        (F.softplus(d_head(run(D, d_in(fake.detach())))) + F.softplus(-d_head(run(D, d_in(real))))).mean().backward()
        opt_d.step()
        opt_g.zero_grad()
        F.softplus(-d_head(run(D, d_in(fake)))).mean().backward()
        opt_g.step()
