import torch
from torch import nn

torch.manual_seed(2)
net = nn.Linear(3, 3)
sgd = torch.optim.SGD(net.parameters(), lr=0.02)
x = torch.randn(12, 3)

step = 0
while step < 8:
    if step % 2 == 0:
        sgd.zero_grad()
    reconstruction_error = (net(x) - x).pow(2).mean()
    reconstruction_error.backward()  # ZG101 lint watch
    sgd.step()
    step += 1
print(f"{reconstruction_error.item():.4f}")
