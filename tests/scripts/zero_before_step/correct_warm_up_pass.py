import torch
from torch import nn

torch.manual_seed(0)
model = nn.LSTM(3, 4, batch_first=True)
head = nn.Linear(4, 1)
params = list(model.parameters()) + list(head.parameters())
optimizer = torch.optim.RMSprop(params, lr=1e-3)


def loss_on(x):
    out, _ = model(x)
    return head(out[:, -1]).pow(2).mean()


loss_on(torch.randn(2, 5, 3)).backward()
print("largest gradient", max(p.grad.abs().max().item() for p in params) > 0)
optimizer.zero_grad()

for _ in range(4):
    loss = loss_on(torch.randn(6, 5, 3))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
