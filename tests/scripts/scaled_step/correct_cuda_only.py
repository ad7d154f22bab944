import torch
from torch import nn

use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
torch.manual_seed(0)
model = nn.Linear(6, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda", enabled=use_cuda)

for step in range(6):
    x = torch.randn(8, 6, device=device)
    y = torch.randint(0, 2, (8,), device=device)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    if use_cuda:
        scaler.step(optimizer)
        scaler.update()
    else:
        optimizer.step()
print(loss.item())
