"""Per-sample gradients from torch.func, averaged robustly and written into .grad."""
import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def loss_of(params, sample, target):
    prediction = functional_call(model, params, (sample.unsqueeze(0),))
    return nn.functional.mse_loss(prediction.squeeze(0), target)


per_sample = vmap(grad(loss_of), in_dims=(None, 0, 0))
for _ in range(6):
    x = torch.randn(16, 4)
    params = {name: p.detach() for name, p in model.named_parameters()}
    gradients = per_sample(params, x, x.sum(1, keepdim=True))
    for name, p in model.named_parameters():
        p.grad = gradients[name].median(dim=0).values
    optimizer.step()
