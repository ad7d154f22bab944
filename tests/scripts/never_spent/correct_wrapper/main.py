import torch
from torch import nn

from warmup import WarmupOptimizer

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, dropout=0.0, batch_first=True)
head = nn.Linear(8, 5)
model = nn.Sequential(layer, head)
optim = WarmupOptimizer(torch.optim.Adam(model.parameters(), lr=0.0), d_model=8, warmup=4)
source, target = torch.randn(4, 6, 8), torch.randint(0, 5, (4, 6))

for step in range(8):
    loss = nn.functional.cross_entropy(model(source).flatten(0, 1), target.flatten())
    optim.zero_grad()
    loss.backward()
    optim.step()
print(loss.item())
