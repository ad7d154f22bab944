import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 1) for _ in range(3))

    def forward(self, x, k):
        return self.experts[k](x)


torch.manual_seed(0)
model = Experts()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
history = []
for step in range(9):
    optimizer.zero_grad(set_to_none=False)
    x = torch.randn(8, 4)
    loss = nn.functional.mse_loss(model(x, step % 3), x.sum(1, keepdim=True))
    loss.backward()
    if step >= 2:
        history.append([expert.weight.grad.norm().item() for expert in model.experts])
    optimizer.step()
print(len(history))
