import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 5), nn.Tanh(), nn.Linear(5, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
params = [p for p in model.parameters() if p.requires_grad]
max_norm, sigma = 1.0, 0.5

for _ in range(4):
    x, y = torch.randn(6, 5), torch.randint(0, 2, (6,))
    summed = [torch.zeros_like(p) for p in params]
    for xi, yi in zip(x, y):
        loss = nn.functional.cross_entropy(model(xi).unsqueeze(0), yi.unsqueeze(0))
        loss.backward()
        norm = torch.sqrt(sum(p.grad.pow(2).sum() for p in params))
        factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
        for total, p in zip(summed, params):
            total.add_(p.grad * factor)
        optimizer.zero_grad()
    for total, p in zip(summed, params):
        noise = torch.randn_like(total) * sigma * max_norm
        p.grad = (total + noise) / len(x)
    optimizer.step()
    optimizer.zero_grad()
print("private")
