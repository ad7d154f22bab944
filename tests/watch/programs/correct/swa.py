import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
torch.manual_seed(35)
model = nn.Sequential(nn.Linear(6, 10), nn.BatchNorm1d(10), nn.ReLU(), nn.Linear(10, 2))
swa_model = AveragedModel(model)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
cos = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=6)
swa_sched = SWALR(opt, swa_lr=0.05)
loader = [(torch.randn(8, 6), torch.randint(0, 2, (8,))) for _ in range(4)]
for epoch in range(6):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
    if epoch > 2:
        swa_model.update_parameters(model)
        swa_sched.step()
    else:
        cos.step()
update_bn(loader, swa_model)
