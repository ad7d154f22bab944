"""BYOL / mean teacher: the teacher follows the student after every step and never gets a gradient."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 8))
teacher = copy.deepcopy(student)
predictor = nn.Linear(8, 8)
optimizer = torch.optim.Adam([*student.parameters(), *predictor.parameters()], lr=1e-3)
momentum = 0.99

for step in range(10):
    view1, view2 = torch.randn(2, 16, 10)
    with torch.no_grad():
        target = teacher(view2)
    loss = 2 - 2 * F.cosine_similarity(predictor(student(view1)), target).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.data = t.data * momentum + s.data * (1 - momentum)
