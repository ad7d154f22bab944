import torch
from torch import nn

from data import batches
from engine import train_step

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)

for epoch in range(2):
    for x, y in batches(5):
        value = train_step(net, x, y)
        opt.step()
    print(f"epoch {epoch} last loss {value:.3f}")
