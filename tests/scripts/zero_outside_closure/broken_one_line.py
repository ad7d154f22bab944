import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
x, y = torch.randn(16, 2), torch.randn(16, 1)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5)
def closure(): loss = ((model(x) - y) ** 2).mean(); loss.backward(); return loss  # ZG106 lint watch
for _ in range(3):
    optimizer.step(closure)
