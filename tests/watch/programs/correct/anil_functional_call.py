import torch
from torch import nn
from torch.func import functional_call
torch.manual_seed(12)
body = nn.Linear(3, 12)
head = nn.Linear(12, 2)
log_lr = nn.Parameter(torch.tensor(-2.0))
opt = torch.optim.Adam([*body.parameters(), *head.parameters(), log_lr], lr=1e-3)
for it in range(10):
    losses = []
    for task in range(3):
        w = torch.randn(3)
        xs, xq = torch.randn(8, 3), torch.randn(8, 3)
        ys, yq = (xs @ w > 0).long(), (xq @ w > 0).long()
        fast = dict(head.named_parameters())
        for _ in range(2):
            inner = nn.functional.cross_entropy(functional_call(head, fast, (body(xs).relu(),)), ys)
            g = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            fast = {k: v - log_lr.exp() * d for (k, v), d in zip(fast.items(), g)}
        losses.append(nn.functional.cross_entropy(functional_call(head, fast, (body(xq).relu(),)), yq))
    opt.zero_grad()
    torch.stack(losses).mean().backward()
    opt.step()
