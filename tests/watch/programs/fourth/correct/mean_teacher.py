"""Mean teacher with a ramped consistency loss and labelled and unlabelled loaders zipped."""

import copy
import itertools
import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def ramp(step, length):
    return math.exp(-5 * (1 - min(step, length) / length) ** 2)


def main():
    torch.manual_seed(87)
    x = torch.randn(32, 6)
    labelled = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), 8, shuffle=True)
    unlabelled = DataLoader(torch.randn(160, 6), 16, shuffle=True)
    student = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.2), nn.ReLU(), nn.Linear(16, 2))
    teacher = copy.deepcopy(student)
    for p in teacher.parameters():
        p.detach_()
    optimizer = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    step = 0
    for epoch in range(2):
        for (xl, y), xu in zip(itertools.cycle(labelled), unlabelled):
            logits = student(xl)
            consistency = F.mse_loss(
                student(xu).softmax(1),
                teacher(xu + 0.05 * torch.randn_like(xu)).softmax(1).detach(),
            )
            loss = F.cross_entropy(logits, y) + 10 * ramp(step, 15) * consistency
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            alpha = min(1 - 1 / (step + 1), 0.99)
            for t, s in zip(teacher.parameters(), student.parameters()):
                t.data.mul_(alpha).add_(s.data, alpha=1 - alpha)
    print("digest", sum(p.double().sum().item() for p in student.parameters()).hex())


main()
