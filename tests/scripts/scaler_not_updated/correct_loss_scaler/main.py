import torch
from torch import nn

from native import NativeScaler

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
loss_scaler = NativeScaler()

for i in range(6):
    images, labels = torch.rand(4, 1, 6, 6), torch.randint(0, 3, (4,))
    need_update = (i + 1) % 2 == 0
    loss = nn.functional.cross_entropy(model(images), labels) / 2
    loss_scaler(loss, optimizer, clip_grad=1.0, parameters=model.parameters(), need_update=need_update)
    if need_update:
        optimizer.zero_grad()
print(loss.item())
