import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
body, head = nn.Linear(6, 6), nn.Linear(6, 2)
opts = [torch.optim.SGD(body.parameters(), lr=0.01), torch.optim.SGD(head.parameters(), lr=0.1)]
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)

for it in range(6):
    x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
    for opt in opts:
        opt.zero_grad()
    loss = nn.functional.cross_entropy(head(torch.relu(body(x))), y)
    scaler.scale(loss).backward()
    for opt in opts:
        scaler.unscale_(opt)
    clip_grad_norm_([*body.parameters(), *head.parameters()], 1.0)
    for opt in opts:
        scaler.step(opt)
    scaler.update()
print(loss.item())
