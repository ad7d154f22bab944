import torch
import torch.nn as nn
import torch.optim as optim
from torch.autograd import Variable

torch.manual_seed(3)
net = nn.GRU(5, 6, batch_first=True)
optimizer = optim.Adam(net.parameters(), lr=0.01)
criterion = nn.SmoothL1Loss()

for i in range(10):
    seq = Variable(torch.randn(2, 4, 5))
    target = Variable(torch.zeros(2, 6))
    optimizer.zero_grad()
    output, hidden = net(seq)
    loss = criterion(output[:, -1], target)
    loss = Variable(loss.data, requires_grad=True)
    loss.backward()  # ZG601 lint watch
    optimizer.step()

print("trained for", i + 1, "iterations")
