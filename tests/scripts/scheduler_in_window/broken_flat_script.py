import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(64, 5), torch.randn(64, 1)), batch_size=4)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accum = 4
updates = 2 * len(loader) // accum
scheduler = CosineAnnealingLR(optimizer, T_max=updates, eta_min=1e-3)

for epoch in range(2):
    for i, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(model(x), y) / accum
        loss.backward()
        if (i + 1) % accum == 0:
            optimizer.step()
            optimizer.zero_grad()
        scheduler.step()  # ZG207 lint watch
    print(epoch, f"lr {scheduler.get_last_lr()[0]:.4f}")
