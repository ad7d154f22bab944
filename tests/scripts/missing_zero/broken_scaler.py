import torch
from torch import nn

torch.manual_seed(0)
use_amp = True
net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.001)
scaler = torch.amp.GradScaler("cpu", enabled=use_amp, init_scale=256.0)

for epoch in range(2):
    for x, y in zip(torch.randn(4, 10, 8), torch.randint(0, 2, (4, 10))):
        with torch.autocast(device_type="cpu", dtype=torch.bfloat16, enabled=use_amp):
            loss = nn.functional.cross_entropy(net(x), y)
        scaler.scale(loss).backward()  # ZG101 lint watch
        scaler.step(opt)
        scaler.update()
    print(epoch, round(loss.item(), 2))
