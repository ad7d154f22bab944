import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(13)
encoder = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 8))
opt = torch.optim.SGD(encoder.parameters(), lr=0.1, momentum=0.9)
loader = torch.utils.data.DataLoader(torch.randn(48, 10), batch_size=8)
accum_iter = 3
for epoch in range(2):
    opt.zero_grad()
    for i, x in enumerate(loader):
        a = F.normalize(encoder(x + 0.1 * torch.randn_like(x)), dim=1)
        b = F.normalize(encoder(x + 0.1 * torch.randn_like(x)), dim=1)
        logits = a @ b.T / 0.2
        labels = torch.arange(len(x))
        loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
        loss = loss / accum_iter
        loss.backward()
        if (i + 1) % accum_iter == 0:
            opt.step()
            opt.zero_grad()
