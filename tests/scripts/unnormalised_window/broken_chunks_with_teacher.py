import itertools

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
teacher, student = nn.Linear(4, 3), nn.Linear(4, 3)
teacher.eval()
optimizer = torch.optim.SGD(student.parameters(), 0.1)
for epoch in range(2):
    stream = iter(DataLoader(TensorDataset(torch.randn(64, 4)), batch_size=4))
    while chunk := list(itertools.islice(stream, 4)):
        optimizer.zero_grad()
        for (x,) in chunk:
            with torch.no_grad():
                target = teacher(x)
            F.mse_loss(student(x), target).backward()  # ZG201 lint watch
        optimizer.step()
