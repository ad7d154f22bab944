import io

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

buffer = io.BytesIO()
torch.save(model.state_dict(), buffer)
buffer.seek(0)
model.load_state_dict(torch.load(buffer))
model = model.to(torch.device("cpu")).train()
nn.init.xavier_uniform_(model[0].weight)
with torch.no_grad():
    model[2].bias.zero_()
    model[2].weight.data = model[2].weight.data * 0.5

for step in range(6):
    x, y = torch.randn(8, 5), torch.randint(0, 2, (8,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
print(loss.item())
