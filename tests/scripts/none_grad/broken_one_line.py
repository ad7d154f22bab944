import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for inputs in torch.randn(4, 8, 3):
    optimizer.zero_grad(); model.weight.grad.neg_()  # ZG105 lint watch
    model(inputs).square().mean().backward()
    optimizer.step()
