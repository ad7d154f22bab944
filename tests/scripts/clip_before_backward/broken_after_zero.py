import torch
from torch import nn

torch.manual_seed(0)
model = nn.RNN(2, 8, batch_first=True)
readout = nn.Linear(8, 1)
params = [*model.parameters(), *readout.parameters()]
optimizer = torch.optim.SGD(params, lr=0.1)

for epoch in range(6):
    x = torch.randn(4, 10, 2)
    y = x.prod(dim=2).sum(dim=1, keepdim=True)
    optimizer.zero_grad()
    _, h = model(x)
    loss = nn.functional.mse_loss(readout(h[-1]), y)
    torch.nn.utils.clip_grad_norm_(params, 1.0)  # ZG403 lint watch
    loss.backward()
    optimizer.step()
    print(epoch, f"{loss.item():.4f}")
