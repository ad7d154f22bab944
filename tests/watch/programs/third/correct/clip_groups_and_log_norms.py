import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(92)
backbone, head = nn.Linear(6, 8), nn.Linear(8, 3)
opt = torch.optim.AdamW([{"params": backbone.parameters(), "lr": 1e-4}, {"params": head.parameters(), "lr": 1e-3}])
norms = []
for step in range(14):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    opt.zero_grad(set_to_none=True)
    F.cross_entropy(head(backbone(x).relu()), y).backward()
    everything = [*backbone.parameters(), *head.parameters()]
    norms.append(nn.utils.clip_grad_norm_(everything, float("inf")).item())
    total = nn.utils.get_total_norm([p.grad for p in backbone.parameters()])
    nn.utils.clip_grads_with_norm_(backbone.parameters(), 0.1, total)
    nn.utils.clip_grad_value_(head.parameters(), 0.5)
    opt.step()
    after = nn.utils.clip_grad_norm_(everything, float("inf"))
