"""Top-1 experts with a balancing loss; some experts get no token in a batch and no gradient."""

import torch
from torch import nn
from torch.nn import functional as F


class MoE(nn.Module):
    def __init__(self, d=8, experts=8):
        super().__init__()
        self.gate = nn.Linear(d, experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(d, 16), nn.GELU(), nn.Linear(16, d)) for _ in range(experts)
        )

    def forward(self, x):
        probabilities = self.gate(x).softmax(-1)
        top, index = probabilities.max(-1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            chosen = (index == i).nonzero().squeeze(1)
            if len(chosen):
                out = out.index_add(0, chosen, top[chosen, None] * expert(x[chosen]))
        share = F.one_hot(index, len(self.experts)).float().mean(0)
        return x + out, len(self.experts) * (share * probabilities.mean(0)).sum()


torch.manual_seed(42)
model = MoE()
head = nn.Linear(8, 2)
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()], lr=3e-3)
for step in range(25):
    x = torch.randn(6, 8)
    out, balance = model(x)
    loss = F.cross_entropy(head(out), (x[:, 0] > 0).long()) + 0.01 * balance
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_([p for p in model.parameters() if p.grad is not None], 1.0)
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
