import torch
from torch import nn

from amp import Amp

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
amp = Amp(optimizer, window=2)

for i in range(8):
    x, y = torch.randn(4, 5), torch.randint(0, 2, (4,))
    loss = nn.functional.cross_entropy(model(x), y)
    amp.backward(loss / 2)
    amp.maybe_step(i)
print(loss.item())
