"""K folds: one model object is reset to its first weights, each fold has a new optimizer."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(60, 5)
labels = (inputs[:, 0] > 0).long()
template = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(template.parameters(), lr=1e-2)  # ZG306 watch


def folds(count):
    order = torch.randperm(len(inputs))
    for part in range(count):
        test = order[part::count]
        train = torch.tensor([i for i in order.tolist() if i not in set(test.tolist())])
        yield train, test


scores = []
for train, test in folds(4):
    model = copy.deepcopy(template)
    for _ in range(6):
        for batch in train.split(15):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs[batch]), labels[batch]).backward()
            optimizer.step()
    with torch.no_grad():
        scores.append((model(inputs[test]).argmax(1) == labels[test]).float().mean().item())
print(sum(scores) / len(scores))
