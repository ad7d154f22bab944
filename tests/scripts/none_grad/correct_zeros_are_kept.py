import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 4)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)

for step in range(4):
    x = torch.randn(5, 4)
    (net(x) - x).pow(2).mean().backward()
    sgd.step()
    sgd.zero_grad(set_to_none=False)
    assert net.weight.grad.abs().sum().item() == 0
print("zeros")
