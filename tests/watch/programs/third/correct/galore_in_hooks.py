import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(28)


class ProjectedAdamW(torch.optim.AdamW):
    def __init__(self, params, rank=2, gap=5, **kw):
        super().__init__(params, **kw)
        self.rank, self.gap, self.count, self.bases = rank, gap, 0, {}

    @torch.no_grad()
    def step(self, closure=None):
        full = {}
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None or p.dim() != 2:
                    continue
                if self.count % self.gap == 0:
                    u, _, _ = torch.linalg.svd(p.grad, full_matrices=False)
                    self.bases[p] = u[:, : self.rank]
                q = self.bases[p]
                full[p] = p.grad
                p.grad = q @ (q.T @ p.grad)
        self.count += 1
        return super().step(closure)


model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
per_layer = {p: ProjectedAdamW([p], lr=1e-3) for p in model.parameters()}


def hook(p):
    per_layer[p].step()
    per_layer[p].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(hook)
for step in range(12):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    F.cross_entropy(model(x), y).backward()
