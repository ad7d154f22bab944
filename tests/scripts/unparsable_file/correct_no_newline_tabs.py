import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
	opt.zero_grad()
	loss = net(torch.ones(4, 3)).pow(2).mean()
	loss.backward()
	opt.step()
print("tabs")
