import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
for p in model[0].parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)

for step in range(3):
    loss = model(torch.randn(5, 4)).pow(2).mean()
    loss.backward()
    for name, p in model.named_parameters():
        print(name, p.grad.norm().item())  # ZG105 watch
    optimizer.step()
    optimizer.zero_grad()
