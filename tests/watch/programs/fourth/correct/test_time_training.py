"""Test-time training: for each test sample a copy of the encoder takes a few self-supervised steps, then is reset."""

import copy

import torch
from torch import nn


class TTT(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.classifier, self.rotation = nn.Linear(16, 3), nn.Linear(16, 4)

    def auxiliary(self, x):
        shifts = torch.arange(4)
        views = torch.stack([x.roll(2 * int(s), -1) for s in shifts]).flatten(0, 1)
        labels = shifts.repeat_interleave(len(x))
        return nn.functional.cross_entropy(self.rotation(self.encoder(views)), labels)


torch.manual_seed(77)
model = TTT()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(15):
    x = torch.randn(16, 8)
    loss = nn.functional.cross_entropy(
        model.classifier(model.encoder(x)), x[:, :3].argmax(1)
    ) + model.auxiliary(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

initial = copy.deepcopy(model.state_dict())
test_optimizer = torch.optim.SGD(model.encoder.parameters(), lr=1e-2)
correct = 0
for x in torch.randn(10, 1, 8):
    model.load_state_dict(initial)
    for _ in range(3):
        test_optimizer.zero_grad()
        model.auxiliary(x).backward()
        test_optimizer.step()
    with torch.no_grad():
        correct += int(model.classifier(model.encoder(x)).argmax() == x[0, :3].argmax())
print(correct, "digest", sum(p.double().sum().item() for p in model.parameters()).hex())
