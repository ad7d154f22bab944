import torch
from torch import nn
torch.manual_seed(33)
vgg = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1))
vgg.eval()
gen = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
adam = torch.optim.Adam(gen.parameters(), 1e-3)
sgd = torch.optim.SGD(gen.parameters(), 1e-3)
for epoch in range(8):
    optimizer = adam if epoch < 4 else sgd
    x = torch.randn(2, 1, 8, 8)
    optimizer.zero_grad()
    loss = (vgg(gen(x)) - vgg(x)).abs().mean()
    loss.backward()
    optimizer.step()
