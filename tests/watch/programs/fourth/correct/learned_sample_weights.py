"""Learning to reweight: a virtual step, a hypergradient for the samples' weights, then the real step."""

import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F


class WeightNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())

    def forward(self, loss):
        return self.net(loss[:, None]).squeeze(1)


torch.manual_seed(76)
model, weight_net = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 2)), WeightNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
meta_optimizer = torch.optim.Adam(weight_net.parameters(), lr=1e-2)
clean_x = torch.randn(16, 5)
clean_y = (clean_x[:, 0] > 0).long()
for step in range(15):
    x = torch.randn(16, 5)
    y = torch.where(torch.rand(16) < 0.3, torch.randint(0, 2, (16,)), (x[:, 0] > 0).long())
    params = dict(model.named_parameters())
    losses = F.cross_entropy(functional_call(model, params, x), y, reduction="none")
    weighted = (weight_net(losses.detach()) * losses).mean()
    grads = torch.autograd.grad(weighted, params.values(), create_graph=True)
    virtual = {k: p - 0.1 * g for (k, p), g in zip(params.items(), grads)}
    meta_loss = F.cross_entropy(functional_call(model, virtual, clean_x), clean_y)
    meta_optimizer.zero_grad()
    meta_loss.backward()
    meta_optimizer.step()

    losses = F.cross_entropy(model(x), y, reduction="none")
    with torch.no_grad():
        w = weight_net(losses)
        w = w / w.sum().clamp_min(1e-8)
    optimizer.zero_grad()
    (w * losses).sum().backward()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
