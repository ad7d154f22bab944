import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(33)
encoder = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 8))
predictor = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 8))
optimizer = torch.optim.SGD(
    [{"params": encoder.parameters(), "fix_lr": False}, {"params": predictor.parameters(), "fix_lr": True}],
    lr=0.05, momentum=0.9, weight_decay=1e-4,
)
for epoch in range(4):
    for group in optimizer.param_groups:
        if not group["fix_lr"]:
            group["lr"] = 0.05 * 0.5 ** epoch
    for _ in range(5):
        x = torch.randn(16, 8)
        z1, z2 = encoder(x + 0.1 * torch.randn_like(x)), encoder(x + 0.1 * torch.randn_like(x))
        p1, p2 = predictor(z1), predictor(z2)
        loss = -(F.cosine_similarity(p1, z2.detach()).mean() + F.cosine_similarity(p2, z1.detach()).mean()) * 0.5
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
