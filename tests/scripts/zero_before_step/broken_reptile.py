import copy

import torch
from torch import nn

torch.manual_seed(0)

model = nn.Linear(4, 2)
meta = torch.optim.Adam(model.parameters(), lr=0.01)

for task in range(8):
    fast = copy.deepcopy(model)
    inner = torch.optim.SGD(fast.parameters(), lr=0.1)
    for _ in range(3):
        inputs, targets = torch.randn(8, 4), torch.randint(0, 2, (8,))
        nn.functional.cross_entropy(fast(inputs), targets).backward()
        inner.zero_grad()  # ZG102 lint watch
        inner.step()
    meta.zero_grad()
    for p, q in zip(model.parameters(), fast.parameters()):
        p.grad = p.data - q.data
    meta.step()

print("trained")
