import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 10))
rows = torch.optim.Adam(model[0].parameters(), lr=0.1)
matrix = torch.optim.SGD(model[1].parameters(), lr=0.1)

for _ in range(8):
    tokens = torch.randint(10, (8,))
    matrix.zero_grad()
    loss = nn.functional.cross_entropy(model(tokens), tokens)
    loss.backward()  # ZG101 lint watch
    rows.step()
    matrix.step()
print(round(loss.item(), 2))
