# -*- coding: latin-1 -*-
import torch
from torch import nn

torch.manual_seed(0)
réseau = nn.Linear(2, 1)
optimizer = torch.optim.SGD(réseau.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    réseau(torch.ones(4, 2)).pow(2).mean().backward()
    optimizer.step()
print('fini')
