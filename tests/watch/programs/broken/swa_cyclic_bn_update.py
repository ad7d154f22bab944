import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn
torch.manual_seed(25)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
swa = AveragedModel(model)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4)
swalr = SWALR(opt, swa_lr=0.01, anneal_epochs=2)
data = torch.utils.data.TensorDataset(torch.randn(40, 4), torch.randn(40, 1))
loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
held_out = []
for epoch in range(8):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
    for x, y in loader:
        held_out.append(nn.functional.mse_loss(model(x), y))  # ZG602 watch
    if epoch >= 4:
        swa.update_parameters(model)
        swalr.step()
    else:
        cosine.step()
update_bn(loader, swa)
