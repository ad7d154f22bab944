import torch
from torch import nn
from torch.nn.functional import linear, mse_loss

torch.manual_seed(0)

weight = nn.Parameter(torch.randn(1, 4))
bias = nn.Parameter(torch.zeros(1))
meta = torch.optim.Adam([weight, bias], lr=1e-3)  # ZG303 watch

for iteration in range(8):
    support, query = torch.randn(6, 4), torch.randn(6, 4)
    inner = mse_loss(linear(support, weight, bias), support.sum(1, keepdim=True))
    slopes = torch.autograd.grad(inner, [weight, bias], create_graph=True)
    adapted = [p - 0.1 * slope for p, slope in zip([weight, bias], slopes)]
    outer = mse_loss(linear(query, *adapted), query.sum(1, keepdim=True))
    meta.zero_grad()
    outer.backward()
    print(f"iteration {iteration}: {outer.item():.3f}")
