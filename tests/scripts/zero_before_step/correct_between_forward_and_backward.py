import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
loss_fn = nn.MSELoss()

X, Y = torch.randn(32, 8), torch.randn(32, 1)
for t in range(10):
    y_pred = model(X)
    loss = loss_fn(y_pred, Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(round(loss.item(), 3))
