import torch
from torch import nn
torch.manual_seed(23)
class LoRALinear(nn.Module):
    def __init__(self, i, o, r=2):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i) / i**0.5, requires_grad=False)
        self.A = nn.Parameter(torch.randn(r, i) / i**0.5); self.B = nn.Parameter(torch.zeros(o, r))
    def forward(self, x):
        return x @ self.weight.T + x @ self.A.T @ self.B.T
    @torch.no_grad()
    def merge(self):
        self.weight += self.B @ self.A
        nn.init.kaiming_uniform_(self.A); nn.init.zeros_(self.B)
net = nn.Sequential(LoRALinear(6, 8), nn.ReLU(), LoRALinear(8, 2))
opt = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=1e-2)
x, y = torch.randn(64, 6), torch.randint(0, 2, (64,))
for step in range(1, 31):
    i = torch.randint(0, 64, (16,))
    loss = nn.functional.cross_entropy(net(x[i]), y[i])
    loss.backward()
    opt.step()
    opt.zero_grad()
    if step % 10 == 0:
        for m in net:
            if isinstance(m, LoRALinear):
                m.merge()
        for p in opt.state:
            opt.state[p]["exp_avg"].mul_(torch.rand_like(p) > 0.9)
            opt.state[p]["exp_avg_sq"].mul_(torch.rand_like(p) > 0.9)
        for g in opt.param_groups:
            g["lr"] = 1e-2 * 0.5
