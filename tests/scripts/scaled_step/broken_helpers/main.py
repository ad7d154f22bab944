import torch
from torch import nn

from precision import scaled_backward

torch.manual_seed(0)
model = nn.GRU(4, 4, batch_first=True)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for step in range(6):
    x = torch.randn(3, 5, 4)
    optimizer.zero_grad()
    out, _ = model(x)
    loss = nn.functional.mse_loss(out, x)
    scaled_backward(loss)
    optimizer.step()  # ZG406 lint watch
    print(step, loss.item())
