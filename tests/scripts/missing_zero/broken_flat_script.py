import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)

X = torch.randn(60, 5)
y = (X.sum(dim=1, keepdim=True) > 0).float()
train_loader = DataLoader(TensorDataset(X, y), batch_size=12, shuffle=True)

model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
loss_fn = nn.BCEWithLogitsLoss()
optimizer = optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(3):
    running_loss = 0.0
    for xb, yb in train_loader:
        pred = model(xb)
        loss = loss_fn(pred, yb)
        loss.backward()  # ZG101 lint watch
        optimizer.step()
        running_loss += loss.item()
    print(f"Epoch {epoch + 1}: {running_loss / len(train_loader):.4f}")
