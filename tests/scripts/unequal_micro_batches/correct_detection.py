"""Boxes and classes, both normalised by the objects of the whole window."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
ACCUMULATE = 4


def pictures(count):
    for number in range(count):
        features = torch.randn(2, 60, 8)
        objects = torch.rand(2, 60) < (0.04 if number % 2 else 0.7)
        objects[:, 0] = True
        yield features, objects, torch.randint(0, 3, (2, 60)), torch.rand(2, 60, 4)


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.classes, self.boxes = nn.Linear(8, 3), nn.Linear(8, 4)


head = Head()
optimizer = torch.optim.SGD(head.parameters(), lr=0.05)

batches = list(pictures(16))

for start in range(0, len(batches), ACCUMULATE):
    micro_batches = batches[start : start + ACCUMULATE]
    positives = sum(int(objects.sum()) for _, objects, _, _ in micro_batches)
    for features, objects, classes, boxes in micro_batches:
        found = features[objects]
        of_classes = functional.cross_entropy(head.classes(found), classes[objects], reduction="sum")
        of_boxes = functional.l1_loss(head.boxes(found), boxes[objects], reduction="sum")
        loss = (of_classes + 5 * of_boxes) / positives
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
