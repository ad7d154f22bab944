"""A nanoGPT-like loop: micro steps, a disabled scaler, a cosine rate by hand, fused AdamW, the next batch prefetched."""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class GPTConfig:
    block_size: int = 12
    vocab_size: int = 24
    n_head: int = 2
    n_embd: int = 16
    dropout: float = 0.0


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.n, self.qkv, self.proj = (
            c.n_head,
            nn.Linear(c.n_embd, 3 * c.n_embd),
            nn.Linear(c.n_embd, c.n_embd),
        )

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.n, -1).transpose(1, 2) for z in self.qkv(x).split(d, 2))
        return self.proj(
            F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d)
        )


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.wte, self.wpe = (
            nn.Embedding(c.vocab_size, c.n_embd),
            nn.Embedding(c.block_size, c.n_embd),
        )
        self.ln, self.attention, self.ln_f = (
            nn.LayerNorm(c.n_embd),
            Attention(c),
            nn.LayerNorm(c.n_embd),
        )
        self.lm_head = nn.Linear(c.n_embd, c.vocab_size, bias=False)
        self.wte.weight = self.lm_head.weight

    def forward(self, idx, targets):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        x = x + self.attention(self.ln(x))
        logits = self.lm_head(self.ln_f(x))
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    def configure_optimizers(self, lr):
        decay = [p for p in self.parameters() if p.dim() >= 2]
        rest = [p for p in self.parameters() if p.dim() < 2]
        groups = [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
        return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.95), fused=True)


def get_lr(it, warmup=3, total=12, peak=3e-3, low=3e-4):
    if it < warmup:
        return peak * (it + 1) / (warmup + 1)
    return low + 0.5 * (1 + math.cos(math.pi * (it - warmup) / (total - warmup))) * (peak - low)


torch.manual_seed(90)
config, data = GPTConfig(), torch.randint(0, 24, (400,))
gradient_accumulation_steps = 4


def get_batch():
    ix = torch.randint(400 - config.block_size, (4,))
    x = torch.stack([data[i : i + config.block_size] for i in ix])
    return x, torch.stack([data[i + 1 : i + 1 + config.block_size] for i in ix])


model = GPT(config)
optimizer = model.configure_optimizers(3e-3)
scaler = torch.amp.GradScaler("cpu", enabled=False)
X, Y = get_batch()
iter_num = 0
while True:
    for group in optimizer.param_groups:
        group["lr"] = get_lr(iter_num)
    for micro_step in range(gradient_accumulation_steps):
        logits, loss = model(X, Y)
        loss = loss / config.n_head
        X, Y = get_batch()
        scaler.scale(loss).backward()  # ZG204 watch
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    iter_num += 1
    if iter_num > 12:
        break
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
