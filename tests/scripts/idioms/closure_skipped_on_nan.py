import torch
from torch import nn

torch.manual_seed(5)
features = torch.randn(32, 8, 4)
features[7, 2] = features[20, 1] = float("nan")
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

for batch in features:

    def evaluate():
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        if torch.isfinite(loss):
            loss.backward()
        return loss

    optimizer.step(evaluate)
