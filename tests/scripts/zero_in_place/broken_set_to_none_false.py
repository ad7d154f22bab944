import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.MSELoss()

for t in range(20):
    x = torch.randn(32, 20)
    y_pred = model(x)
    loss = loss_fn(y_pred, x.mean(1, keepdim=True))
    optimizer.zero_grad(set_to_none=False)  # ZG701 lint
    loss.backward()
    optimizer.step()
