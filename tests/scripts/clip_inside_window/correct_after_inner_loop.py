import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 9), nn.Tanh(), nn.Linear(9, 1))
optim = torch.optim.RMSprop(net.parameters(), lr=1e-3)
big_batches = torch.randn(4, 12, 3)

for big in big_batches:
    chunks = big.chunk(3)
    for chunk in chunks:
        loss = net(chunk).square().mean() / len(chunks)
        loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optim.step()
    optim.zero_grad(set_to_none=True)
print(loss.item())
