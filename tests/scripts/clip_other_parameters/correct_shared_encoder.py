import torch
from torch import nn

torch.manual_seed(0)
encoder, first, second = nn.Linear(5, 4), nn.Linear(4, 3), nn.Linear(4, 1)
opt = torch.optim.SGD([*encoder.parameters(), *first.parameters()], lr=0.1)
opt_second = torch.optim.SGD(second.parameters(), lr=0.1)

for step in range(6):
    x, y, z = torch.randn(8, 5), torch.randint(3, (8,)), torch.randn(8, 1)
    opt.zero_grad()
    opt_second.zero_grad()
    loss = nn.functional.cross_entropy(first(encoder(x)), y)
    loss.backward()
    auxiliary = nn.functional.mse_loss(second(encoder(x)), z)
    auxiliary.backward()
    nn.utils.clip_grad_norm_(encoder.parameters(), 0.1)
    opt_second.step()
    opt.step()
print(loss.item(), auxiliary.item())
