import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def fit(accelerator, model, dataset, epochs):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    loader = DataLoader(dataset, batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for inputs, targets in loader:
            with accelerator.accumulate(model):
                optimizer.zero_grad()  # ZG103 lint watch
                loss = nn.functional.mse_loss(model(inputs), targets)
                accelerator.backward(loss)
                optimizer.step()


torch.manual_seed(0)
x = torch.randn(64, 6)
fit(
    Accelerator(gradient_accumulation_steps=4, cpu=True),
    nn.Linear(6, 1),
    TensorDataset(x, x.sum(1, keepdim=True)),
    epochs=2,
)
