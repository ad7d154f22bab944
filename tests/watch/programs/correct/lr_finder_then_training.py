import copy
import torch
from torch import nn
torch.manual_seed(43)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
loader = torch.utils.data.DataLoader(torch.randn(80, 4), batch_size=8, shuffle=True)
state = copy.deepcopy((net.state_dict(), opt.state_dict()))
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda i: 2.0**i)
best, best_lr = float("inf"), None
for x in loader:
    opt.zero_grad()
    loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()
    opt.step()
    if loss.item() < best:
        best, best_lr = loss.item(), opt.param_groups[0]["lr"]
    sched.step()
    if loss.item() > 4 * best:
        break
net.load_state_dict(state[0]); opt.load_state_dict(state[1])
opt = torch.optim.SGD(net.parameters(), lr=best_lr / 10)
one = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=best_lr, total_steps=20)
for epoch in range(2):
    for x in loader:
        opt.zero_grad()
        (net(x) - x.sum(1, keepdim=True)).square().mean().backward()
        opt.step()
        one.step()
