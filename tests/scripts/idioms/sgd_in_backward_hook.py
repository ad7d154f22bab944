"""LOMO style: no optimizer object, the hook updates the parameter and drops its gradient."""
import torch
from torch import nn


def fuse_update(model, lr):
    @torch.no_grad()
    def update(p):
        p.add_(p.grad, alpha=-lr)
        p.grad = None

    for p in model.parameters():
        p.register_post_accumulate_grad_hook(update)


torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(30, 8), nn.Flatten(), nn.Linear(32, 30))
fuse_update(model, lr=0.05)
for _ in range(8):
    tokens = torch.randint(0, 30, (6, 5))
    nn.functional.cross_entropy(model(tokens[:, :4]), tokens[:, 4]).backward()
