import torch
from torch import nn
torch.manual_seed(22)
class MoE(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))
        self.bias = nn.Parameter(torch.zeros(4), requires_grad=False)
    def forward(self, x):
        p = self.gate(x).softmax(-1)
        top = (p + self.bias).argmax(-1)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows = top == e
            if rows.any():
                out[rows] = expert(x[rows]) * p[rows, e, None]
        load = torch.bincount(top, minlength=4).float() / len(x)
        with torch.no_grad():
            self.bias.add_(0.01 * (load.mean() - load).sign())
        return out, 4 * (load * p.mean(0)).sum()
net = MoE(); readout = nn.Linear(8, 2)
opt = torch.optim.AdamW([*net.parameters(), *readout.parameters()], lr=1e-2)
for step in range(24):
    x = torch.randn(3, 8)
    opt.zero_grad(set_to_none=True)
    for rows in x.split(1):
        h, aux = net(rows)
        ((readout(h).square().mean() + 0.01 * aux) / 3).backward()
    nn.utils.clip_grad_norm_(list(net.parameters()), 1.0)
    opt.step()
