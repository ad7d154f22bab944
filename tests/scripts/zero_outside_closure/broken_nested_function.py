import torch
from torch import nn
from torch.optim import LBFGS


def calibrate_temperature(logits, labels, iterations=3):
    temperature = nn.Parameter(torch.ones(1) * 1.5)
    optimizer = LBFGS([temperature], lr=0.01, max_iter=10)
    nll = nn.CrossEntropyLoss()

    def evaluate():
        loss = nll(logits / temperature, labels)
        loss.backward()  # ZG106 lint watch
        return loss

    for _ in range(iterations):
        optimizer.step(evaluate)
        optimizer.zero_grad()
    return temperature.item()


torch.manual_seed(1)
print(calibrate_temperature(torch.randn(30, 4) * 3, torch.randint(0, 4, (30,))) > 0)
