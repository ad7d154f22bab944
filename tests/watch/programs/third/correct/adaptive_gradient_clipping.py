import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(53)


@torch.no_grad()
def agc(parameters, factor=0.01, eps=1e-3):
    for p in parameters:
        if p.grad is None:
            continue
        dims = tuple(range(1, p.dim()))
        norm = p.detach().norm(dim=dims, keepdim=True) if dims else p.detach().abs()
        gnorm = p.grad.norm(dim=dims, keepdim=True) if dims else p.grad.abs()
        limit = norm.clamp_min(eps) * factor
        p.grad.copy_(torch.where(gnorm < limit, p.grad, p.grad * limit / gnorm.clamp_min(1e-6)))


model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.SGD(model.parameters(), 0.1)
loader = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=8)
ACC = 2
for epoch in range(3):
    for i, (x, y) in enumerate(loader, 1):
        (F.cross_entropy(model(x), y) / ACC).backward()
        if i % ACC == 0:
            agc(model.parameters())
            opt.step()
            opt.zero_grad()
