import torch
from torch import nn

torch.manual_seed(0)
nets = {"pose": nn.Linear(6, 3), "depth": nn.Linear(6, 1)}
optimizers = {name: torch.optim.Adam(net.parameters(), lr=1e-3) for name, net in nets.items()}
targets = {"pose": torch.randn(10, 3), "depth": torch.randn(10, 1)}
x = torch.randn(10, 6)

for epoch in range(4):
    for name, net in nets.items():
        loss = nn.functional.smooth_l1_loss(net(x), targets[name])
        loss.backward()  # ZG101 lint watch
        optimizers[name].step()
    print(epoch, name, round(loss.item(), 3))
