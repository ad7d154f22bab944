import copy
import math

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(30)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 16), nn.GELU())
        self.last_layer = nn.Linear(16, 6, bias=False)

    def forward(self, x):
        return self.last_layer(F.normalize(self.backbone(x), dim=-1))


student = Net()
teacher = copy.deepcopy(student).requires_grad_(False)
center = torch.zeros(1, 6)
optimizer = torch.optim.AdamW(student.parameters(), lr=1e-3)
FREEZE, EPOCHS, ITERS = 1, 3, 6
momentum = [1 - 0.01 * (math.cos(math.pi * i / (EPOCHS * ITERS)) + 1) / 2 for i in range(EPOCHS * ITERS)]
for epoch in range(EPOCHS):
    for it in range(ITERS):
        step = epoch * ITERS + it
        for i, g in enumerate(optimizer.param_groups):
            g["lr"] = 1e-3 * min(1, (step + 1) / 4)
            g["weight_decay"] = 0.04
        x = torch.randn(8, 8)
        views = [x + 0.1 * torch.randn_like(x) for _ in range(4)]
        with torch.no_grad():
            t_out = [F.softmax((teacher(v) - center) / 0.04, dim=-1) for v in views[:2]]
        s_out = [student(v) / 0.1 for v in views]
        total, n = 0, 0
        for i, q in enumerate(t_out):
            for j, s in enumerate(s_out):
                if i != j:
                    total = total - (q * F.log_softmax(s, -1)).sum(-1).mean()
                    n += 1
        loss = total / n
        with torch.no_grad():
            center = center * 0.9 + torch.cat(t_out).mean(0, keepdim=True) * 0.1
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(student.parameters(), 3.0)
        if epoch < FREEZE:
            for name, p in student.named_parameters():
                if "last_layer" in name:
                    p.grad = None
        optimizer.step()
        with torch.no_grad():
            m = momentum[step]
            for q, k in zip(student.parameters(), teacher.parameters()):
                k.data.mul_(m).add_((1 - m) * q.detach().data)
