import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(30, 4), torch.randn(30, 2)), batch_size=6)
model = nn.Linear(4, 2)
optimizer = torch.optim.NAdam(model.parameters(), lr=1e-2)

for epoch in range(2):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(f"epoch={epoch} loss={loss.item():.4f}")
