import torch
from torch import nn

torch.manual_seed(0)
lstm = nn.LSTM(3, 6, batch_first=True)
for p in lstm.parameters():
    p.register_hook(lambda grad: grad.clamp(-0.1, 0.1))
optimizer = torch.optim.SGD(lstm.parameters(), lr=0.5)

for step in range(4):
    optimizer.zero_grad()
    out, _ = lstm(torch.randn(2, 7, 3))
    loss = out.square().sum()
    loss.backward()
    optimizer.step()
print(loss.item())
