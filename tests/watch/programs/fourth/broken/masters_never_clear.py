"""bfloat16 working weights with float32 masters: gradients are copied over, masters are stepped, copied back."""

import torch
from torch import nn


class MasterWeights:
    def __init__(self, model, make):
        self.working = list(model.parameters())
        self.masters = [p.detach().float().clone().requires_grad_() for p in self.working]
        self.optimizer = make(self.masters)

    def step(self):
        for master, p in zip(self.masters, self.working):
            master.grad = p.grad.float()
        nn.utils.clip_grad_norm_(self.masters, 1.0)
        self.optimizer.step()
        with torch.no_grad():
            for master, p in zip(self.masters, self.working):
                p.copy_(master)

    def zero_grad(self):
        for p in self.working:
            p.grad = None


torch.manual_seed(85)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1)).bfloat16()
weights = MasterWeights(model, lambda ps: torch.optim.Adam(ps, lr=5e-3))
for _ in range(20):
    x = torch.randn(16, 6, dtype=torch.bfloat16)
    loss = nn.functional.mse_loss(model(x).float(), x.float().mean(1, keepdim=True))
    loss.backward()  # ZG101 watch
    weights.step()
print("digest", sum(p.double().sum().item() for p in weights.masters).hex())
