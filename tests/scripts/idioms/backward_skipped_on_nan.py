import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
features = torch.randn(64, 4)
features[13, 2] = features[49, 0] = features[53, 1] = float("nan")
targets = torch.randn(64, 1)
loader = DataLoader(TensorDataset(features, targets), batch_size=4)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

for epoch in range(3):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)
        if torch.isfinite(loss):
            loss.backward()
        optimizer.step()
    print(epoch, loss.item())
