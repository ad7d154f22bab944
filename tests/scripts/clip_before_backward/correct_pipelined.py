"""The update of one batch is applied at the top of the next iteration."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def apply_update():
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()


batches = [(torch.randn(5, 6), torch.randint(0, 2, (5,))) for _ in range(6)]
for i, (x, y) in enumerate(batches):
    if i > 0:
        apply_update()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
apply_update()
print(loss.item())
