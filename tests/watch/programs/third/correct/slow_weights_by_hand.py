import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(43)
model = nn.Linear(6, 3)
fast = torch.optim.Adam(model.parameters(), 1e-2)
slow = {k: v.clone() for k, v in model.state_dict().items()}
for step in range(1, 21):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    fast.zero_grad()
    F.cross_entropy(model(x), y).backward()
    fast.step()
    if step % 5 == 0:
        current = model.state_dict()
        for k in slow:
            slow[k] += 0.5 * (current[k] - slow[k])
        model.load_state_dict(slow)
