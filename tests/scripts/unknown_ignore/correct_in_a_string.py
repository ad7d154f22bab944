import torch
from torch import nn

HELP = """
Write `# zerograd: ignore[rule]` on the line, for example
    loss.backward()  # zerograd: ignore[no-such-rule]
"""

torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    net(torch.randn(4, 2)).pow(2).mean().backward()
    opt.step()
print(HELP)
