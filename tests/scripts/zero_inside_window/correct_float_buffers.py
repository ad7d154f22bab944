import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = nn.Linear(4, 1).to(torch.bfloat16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(48, 4), torch.randn(48, 1)), batch_size=4)
accumulate = 4
buffers = {name: torch.zeros_like(p, dtype=torch.float32) for name, p in model.named_parameters()}

for i, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(model(x.bfloat16()), y.bfloat16()) / accumulate
    loss.backward()
    for name, p in model.named_parameters():
        buffers[name] += p.grad.float()
    model.zero_grad()
    if (i + 1) % accumulate == 0:
        for name, p in model.named_parameters():
            p.grad = buffers[name].to(p.dtype)
            buffers[name].zero_()
        optimizer.step()
        model.zero_grad()
print("steps", (i + 1) // accumulate)
