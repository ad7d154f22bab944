import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(61)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
noise = torch.zeros(10, 6, requires_grad=True)
for x, y in [(torch.randn(10, 6), torch.randint(0, 3, (10,))) for _ in range(6)]:
    for replay in range(3):
        loss = F.cross_entropy(model(x + noise), y)
        opt.zero_grad()
        loss.backward()
        with torch.no_grad():
            noise += 0.05 * noise.grad.sign()
            noise.clamp_(-0.1, 0.1)
            noise.grad.zero_()
        opt.step()
