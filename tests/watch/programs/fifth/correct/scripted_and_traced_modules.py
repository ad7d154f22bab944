"""A scripted encoder, a traced head, and an fx-transformed middle, trained together."""

import warnings

import torch
from torch import fx, nn

torch.manual_seed(0)
warnings.simplefilter("ignore")
encoder = torch.jit.script(nn.Sequential(nn.Linear(5, 9), nn.ReLU()))
middle = fx.symbolic_trace(nn.Sequential(nn.Linear(9, 9), nn.Tanh()))
head = torch.jit.trace(nn.Linear(9, 2), torch.randn(3, 9))
parts = nn.ModuleList([encoder, middle, head])
optimizer = torch.optim.Adamax(parts.parameters(), lr=1e-2)
for step in range(25):
    inputs, labels = torch.randn(8, 5), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(head(middle(encoder(inputs))), labels)
    parts.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
