"""Direct preference optimisation of low-rank adapters over a frozen policy; the reference is the policy without them."""

import contextlib

import torch
from torch import nn
from torch.nn import functional as F


class LoRALinear(nn.Module):
    def __init__(self, base, rank=4, alpha=8.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, base.in_features) * 0.02)
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale, self.enabled = alpha / rank, True

    def forward(self, x):
        out = self.base(x)
        return out + (x @ self.a.T @ self.b.T) * self.scale if self.enabled else out


class Policy(nn.Module):
    def __init__(self, vocabulary=20, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width).requires_grad_(False)
        self.mix = LoRALinear(nn.Linear(width, width))
        self.head = LoRALinear(nn.Linear(width, vocabulary))

    def forward(self, tokens):
        return self.head(torch.tanh(self.mix(self.embed(tokens).cumsum(1))))

    def log_prob(self, tokens):
        logits = self(tokens[:, :-1]).log_softmax(-1)
        return logits.gather(-1, tokens[:, 1:, None]).squeeze(-1).sum(-1)

    @contextlib.contextmanager
    def without_adapters(self):
        layers = [m for m in self.modules() if isinstance(m, LoRALinear)]
        for layer in layers:
            layer.enabled = False
        yield
        for layer in layers:
            layer.enabled = True


torch.manual_seed(9)
policy = Policy()
trainable = [p for p in policy.mix.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trainable, lr=1e-2, weight_decay=0.0)  # ZG304 watch
beta = 0.1
for step in range(16):
    chosen, rejected = torch.randint(0, 10, (8, 6)), torch.randint(10, 20, (8, 6))
    with torch.no_grad(), policy.without_adapters():
        reference = policy.log_prob(chosen) - policy.log_prob(rejected)
    margin = policy.log_prob(chosen) - policy.log_prob(rejected)
    loss = -F.logsigmoid(beta * (margin - reference)).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(trainable, 1.0)
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in policy.parameters()).hex())
