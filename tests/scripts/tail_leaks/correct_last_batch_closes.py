import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(40, 4), torch.randn(40, 1)), batch_size=4)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
accumulate = 4
full = len(loader) // accumulate * accumulate

for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        window = accumulate if i < full else len(loader) - full
        loss = nn.functional.mse_loss(model(x), y)
        (loss / window).backward()
        if (i + 1) % accumulate == 0 or (i + 1) == len(loader):
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, f"{loss.item():.3f}")
