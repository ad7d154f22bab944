import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 1))
optimizers = {p: torch.optim.SGD([p], lr=0.01) for p in model.parameters()}


def optimizer_hook(parameter):
    optimizers[parameter].step()
    optimizers[parameter].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(optimizer_hook)

for _ in range(5):
    loss = model(torch.randn(8, 6)).pow(2).mean()
    loss.backward()
print(all(p.grad is None for p in model.parameters()))
