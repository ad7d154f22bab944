import torch
from torch import nn


def train(student, teacher, batches, optimizer, criterion, expt):
    student.train()
    teacher.eval()
    for x, y in batches:
        wanted = teacher(x)
        if expt == "one":
            loss = 0
            for k in range(1, 4):
                loss += criterion(student(x / k), wanted / k)
            loss /= 3
        else:
            loss = criterion(student(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
teacher, student = nn.Linear(6, 3), nn.Linear(6, 3)
optimizer = torch.optim.SGD(student.parameters(), lr=0.05)
batches = [(torch.randn(8, 6), torch.randn(8, 3)) for _ in range(14)]
train(student, teacher, batches, optimizer, nn.MSELoss(), "one")
