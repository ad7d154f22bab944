import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def zero_gradients(module):
    for p in module.parameters():
        try:
            p.grad.zero_()
        except AttributeError:
            pass


for _ in range(5):
    zero_gradients(model)
    loss = model(torch.randn(3, 2)).pow(2).mean()
    loss.backward()
    optimizer.step()
print(loss.item() > 0)
