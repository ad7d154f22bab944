import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
batch_size = 8
accumulation_steps = 4
epochs = 2

dataset = TensorDataset(torch.randn(128, 6), torch.randn(128, 1))
loader = DataLoader(dataset, batch_size=batch_size, shuffle=True)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(epochs):
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        loss = loss / batch_size
        loss.backward()  # ZG204 lint watch
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, f"{loss.item():.4f}")
