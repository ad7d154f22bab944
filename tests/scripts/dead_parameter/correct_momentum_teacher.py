import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
teacher = copy.deepcopy(student).requires_grad_(False)
predictor = nn.Linear(4, 4)
optimizer = torch.optim.SGD([*student.parameters(), *predictor.parameters()], lr=0.05)

for step in range(6):
    view1, view2 = torch.randn(2, 16, 6)
    with torch.no_grad():
        target = teacher(view2)
    loss = 1 - nn.functional.cosine_similarity(predictor(student(view1)), target).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for t, s in zip(teacher.parameters(), student.parameters()):
            t.mul_(0.99).add_(s, alpha=0.01)
print(loss.item())
