import copy
import torch
from torch import nn
torch.manual_seed(8)
class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Linear(1, 8)
        self.body = nn.Linear(6, 8)
        self.out = nn.Linear(8, 6)
    def forward(self, x, sigma):
        return x + sigma * self.out((self.body(x) + self.time(sigma.log())).relu())
student = Denoiser(); teacher = copy.deepcopy(student)
opt = torch.optim.RAdam(student.parameters(), lr=1e-3)
sigmas = torch.linspace(0.05, 3.0, 12)
for step in range(20):
    x = torch.randn(16, 6)
    n = torch.randint(0, 11, (16,))
    z = torch.randn_like(x)
    high, low = sigmas[n + 1][:, None], sigmas[n][:, None]
    dropout_state = torch.get_rng_state()
    online = student(x + high * z, high)
    torch.set_rng_state(dropout_state)
    with torch.no_grad():
        target = teacher(x + low * z, low)
    d = (online - target).square().mean((-1,))
    loss = ((d + 0.03**2).sqrt() - 0.03).mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    with torch.no_grad():
        for t, s in zip(teacher.parameters(), student.parameters()):
            t.mul_(0.95).add_(s, alpha=0.05)
