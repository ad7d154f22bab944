# expected: kept-graph at total[...] += (MultimediaTechLab/YOLO dea5a8a)
import torch
from collections import defaultdict
def train(model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    total = defaultdict(lambda: torch.tensor(0.0))
    for x in loader:
        loss, parts = model(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for name, part in parts.items():
            total[name] += part * len(x)
