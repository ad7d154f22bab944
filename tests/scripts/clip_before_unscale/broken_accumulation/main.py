import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from loop import train_epoch

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(32, 5), torch.randn(32, 2))
loader = DataLoader(dataset, batch_size=4)
model = nn.Linear(5, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    print(epoch, train_epoch(model, loader, optimizer, accumulation_steps=4))
