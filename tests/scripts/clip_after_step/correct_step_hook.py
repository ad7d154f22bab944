import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(10, 4), nn.Flatten(), nn.Linear(12, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)


def clip(optimizer, args, kwargs):
    for group in optimizer.param_groups:
        nn.utils.clip_grad_norm_(group["params"], 1.0)


optimizer.register_step_pre_hook(clip)
for step in range(5):
    context, word = torch.randint(0, 10, (6, 3)), torch.randint(0, 10, (6,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(context), word)
    loss.backward()
    optimizer.step()
print(loss.item())
