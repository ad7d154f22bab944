"""Leaves that a loop over a list marks; the targets are whole numbers."""

import torch
import torch.nn.functional as F

g = torch.Generator().manual_seed(0)
X, Y = torch.randint(0, 27, (64, 3)), torch.randint(0, 27, (64,)).float()
C = torch.randn((27, 2), generator=g)
W = torch.randn((6, 27), generator=g)
parameters = [C, W]
for p in parameters:
    p.requires_grad = True
for i in range(5):
    logits = C[X].view(-1, 6) @ W
    loss = F.cross_entropy(logits, Y.long())
    for p in parameters:
        p.grad = None
    loss.backward()
    for p in parameters:
        p.data += -0.1 * p.grad
