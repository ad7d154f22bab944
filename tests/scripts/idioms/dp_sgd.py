"""DP-SGD by hand: per-sample gradients are clipped, summed aside, noised and written back."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
CLIP, SIGMA = 1.0, 0.5
x = torch.randn(40, 5)
loader = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=8)
model = nn.Linear(5, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()

for data, target in loader:
    summed = [torch.zeros_like(p) for p in model.parameters()]
    for sample, label in zip(data, target):
        model.zero_grad()
        criterion(model(sample.unsqueeze(0)), label.unsqueeze(0)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        for total, p in zip(summed, model.parameters()):
            total.add_(p.grad)

    for total, p in zip(summed, model.parameters()):
        noise = torch.randn_like(p) * SIGMA * CLIP
        p.grad = (total + noise) / len(data)
    optimizer.step()
