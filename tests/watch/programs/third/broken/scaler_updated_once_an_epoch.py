import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), 1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
loader = DataLoader(TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,))), batch_size=8)
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(model(x), y)).backward()
        try:
            scaler.step(opt)  # ZG405 watch
        except RuntimeError:
            pass
    scaler.update()
