import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
rho = 0.05

for _ in range(5):
    x, y = torch.randn(16, 8), torch.randint(0, 2, (16,))
    shifts = []
    for ascent in (True, False):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        if ascent:
            with torch.no_grad():
                norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
                for p in model.parameters():
                    shift = rho * p.grad / norm
                    p.add_(shift)
                    shifts.append(shift)
    with torch.no_grad():
        for p, shift in zip(model.parameters(), shifts):
            p.sub_(shift)
    optimizer.step()
print(round(loss.item(), 3))
