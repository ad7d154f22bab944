import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(20, 5), torch.randn(20, 1)), batch_size=2)
model = nn.Sequential(nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 1))
optimizer = torch.optim.Adam(model.parameters())
accum_iter = 4
iteration = 0

for epoch in range(4):
    for x, y in loader:
        iteration += 1
        loss = nn.functional.l1_loss(model(x), y) / accum_iter
        loss.backward()
        if iteration % accum_iter == 0:
            optimizer.step()
            optimizer.zero_grad()
print(iteration, "iterations")
