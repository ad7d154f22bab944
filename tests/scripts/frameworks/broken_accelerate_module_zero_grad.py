import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
accelerator = Accelerator(gradient_accumulation_steps=4, cpu=True)
x = torch.randn(64, 6)
dataloader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model, optimizer, dataloader = accelerator.prepare(model, optimizer, dataloader)

for epoch in range(2):
    for inputs, targets in dataloader:
        with accelerator.accumulate(model):
            model.zero_grad()  # ZG103 lint watch
            loss = nn.functional.mse_loss(model(inputs), targets)
            accelerator.backward(loss)
            optimizer.step()
