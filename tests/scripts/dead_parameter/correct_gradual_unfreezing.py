import torch
from torch import nn

torch.manual_seed(0)
layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
optimizer = torch.optim.Adam(layers.parameters(), lr=1e-2)


def freeze_all_but(last: int) -> None:
    for depth, layer in enumerate(layers):
        layer.requires_grad_(depth >= len(layers) - last)


for epoch in range(3):
    freeze_all_but(epoch + 1)
    for _ in range(2):
        x = torch.randn(8, 4)
        h = x
        for layer in layers:
            h = torch.tanh(layer(h))
        loss = (h - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, f"{loss.item():.4f}")
