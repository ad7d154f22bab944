import torch
from torch import nn
torch.manual_seed(21)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
def vat(x, xi=1e-2, eps=1.0, ip=1):
    with torch.no_grad():
        p = net(x).softmax(1)
    d = nn.functional.normalize(torch.randn_like(x), dim=1)
    for _ in range(ip):
        d.requires_grad_()
        kl = nn.functional.kl_div(net(x + xi * d).log_softmax(1), p, reduction="batchmean")
        kl.backward()
        d = nn.functional.normalize(d.grad, dim=1).detach()
        net.zero_grad()
    return nn.functional.kl_div(net(x + eps * d).log_softmax(1), p, reduction="batchmean")
for step in range(20):
    labelled, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    unlabelled = torch.randn(24, 6)
    lds = vat(unlabelled)
    loss = nn.functional.cross_entropy(net(labelled), y) + lds
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
