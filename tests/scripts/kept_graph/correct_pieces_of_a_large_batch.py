import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
loader = DataLoader(torch.randn(128, 5), batch_size=4)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    pieces = []
    for x in loader:
        pieces.append(nn.functional.normalize(model(x), dim=1))
        if len(pieces) == 16:
            together = torch.cat(pieces)
            optimizer.zero_grad()
            (together @ together.T).exp().mean().backward()
            optimizer.step()
            pieces = []
