import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 2).to(torch.bfloat16)
master = [p.detach().clone().float().requires_grad_(True) for p in model.parameters()]
optimizer = torch.optim.Adam(master, lr=1e-3)

for _ in range(5):
    x, y = torch.randn(8, 6).bfloat16(), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    for m, p in zip(master, model.parameters()):
        m.grad = p.grad.float()
    model.zero_grad()
    optimizer.step()
    with torch.no_grad():
        for m, p in zip(master, model.parameters()):
            p.copy_(m)
print(model.weight.dtype, master[0].dtype)
