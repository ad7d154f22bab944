import torch
from torch import nn

torch.manual_seed(0)
recurrent, readout = nn.GRU(4, 6, batch_first=True), nn.Linear(6, 4)
opt_recurrent = torch.optim.SGD(recurrent.parameters(), lr=0.1)
opt_readout = torch.optim.SGD(readout.parameters(), lr=0.1)

for step in range(6):
    x = torch.randn(3, 5, 4)
    opt_recurrent.zero_grad()
    opt_readout.zero_grad()
    loss = nn.functional.mse_loss(readout(recurrent(x)[0]), x)
    loss.backward()
    nn.utils.clip_grad_norm_(recurrent.parameters(), 0.25)
    opt_readout.step()
    opt_recurrent.step()
print(loss.item())
