import torch
from torch import nn
torch.manual_seed(46)
X, y = torch.randn(60, 4), torch.randint(0, 2, (60,))
scores = []
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)  # ZG306 watch
for fold in torch.arange(60).chunk(4):
    mask = torch.ones(60, dtype=torch.bool); mask[fold] = False
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    for epoch in range(4):
        for xb, yb in zip(X[mask].split(15), y[mask].split(15)):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()
    with torch.no_grad():
        scores.append((model(X[fold]).argmax(1) == y[fold]).float().mean().item())
