"""Each parameter is stepped by its own optimizer as soon as its gradient is complete."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
optimizers = {p: torch.optim.AdamW([p], lr=1e-3) for p in model.parameters()}


def step_and_clear(p: torch.Tensor) -> None:
    optimizers[p].step()
    optimizers[p].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(step_and_clear)

for step in range(6):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
print(loss.item())
