import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(2)
student = nn.Linear(8, 6)
teacher = copy.deepcopy(student).requires_grad_(False)
opt = torch.optim.SGD(student.parameters(), 1e-2)
for epoch in range(4):
    opt.zero_grad()
    for it in range(5):
        x = torch.randn(8, 8)
        with torch.no_grad():
            target = teacher(x).softmax(-1)
        loss = -(target * F.log_softmax(student(x + 0.1 * torch.randn_like(x)), -1)).sum(-1).mean()
        loss.backward()  # ZG101 watch
        opt.step()
        with torch.no_grad():
            for q, k in zip(student.parameters(), teacher.parameters()):
                k.mul_(0.99).add_(q, alpha=0.01)
