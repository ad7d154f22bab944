import torch
from torch import nn

torch.manual_seed(0)
shared = nn.Linear(5, 8)
price_head = nn.Linear(8, 1)
class_head = nn.Linear(8, 3)
modules = nn.ModuleList([shared, price_head, class_head])
optimizer = torch.optim.SGD(modules.parameters(), lr=0.05)  # ZG305 lint watch

for step in range(6):
    x = torch.randn(16, 5)
    price, kind = torch.rand(16, 1), torch.randint(0, 3, (16,))
    h = torch.relu(shared(x))
    price_loss = nn.functional.mse_loss(price_head(h), price)
    class_loss = nn.functional.cross_entropy(class_head(h), kind)
    total = price_loss
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    print(step, price_loss.item(), class_loss.item())
