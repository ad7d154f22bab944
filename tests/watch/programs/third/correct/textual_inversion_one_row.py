import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(12)
embedding = nn.Embedding(20, 8)
unet = nn.Sequential(nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 8)).requires_grad_(False)
original = embedding.weight.detach().clone()
token = 19
optimizer = torch.optim.AdamW(embedding.parameters(), lr=5e-3)
keep = torch.ones(20, dtype=torch.bool)
keep[token] = False
for step in range(12):
    ids = torch.randint(0, 19, (4, 6))
    ids[:, 3] = token
    hidden = embedding(ids).mean(1)
    noise = torch.randn(4, 8)
    loss = F.mse_loss(unet(hidden + noise), noise)
    loss.backward()
    embedding.weight.grad.data[keep] = embedding.weight.grad.data[keep].fill_(0)
    optimizer.step()
    optimizer.zero_grad()
    with torch.no_grad():
        embedding.weight[keep] = original[keep]
