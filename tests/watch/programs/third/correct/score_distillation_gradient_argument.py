import torch
from torch import nn

torch.manual_seed(14)
scene = nn.Parameter(torch.randn(1, 3, 4, 4) * 0.1)
background = nn.Parameter(torch.zeros(3, 1, 1))
prior = nn.Conv2d(3, 3, 3, padding=1).requires_grad_(False)
optimizer = torch.optim.Adam([{"params": [scene], "lr": 1e-2}, {"params": [background], "lr": 1e-3}])
for step in range(12):
    optimizer.zero_grad()
    rendered = torch.sigmoid(scene) + background
    t = torch.rand(())
    with torch.no_grad():
        noise = torch.randn_like(rendered)
        prediction = prior(rendered + t * noise)
        grad = torch.nan_to_num((1 - t) * (prediction - noise))
    rendered.backward(gradient=grad, retain_graph=True)
    (1e-3 * (scene[..., 1:] - scene[..., :-1]).abs().mean()).backward()
    optimizer.step()
