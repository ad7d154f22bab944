import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(10)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Embedding(10, 16)
        self.inp, self.out = nn.Linear(2, 16), nn.Linear(16, 2)

    def forward(self, x, t):
        return self.out(F.silu(self.inp(x) + self.time(t)))


class EMA:
    def __init__(self, model, beta=0.995, every=2, start=2):
        import copy

        self.model, self.shadow = model, copy.deepcopy(model).eval().requires_grad_(False)
        self.beta, self.every, self.start, self.calls = beta, every, start, 0

    @torch.no_grad()
    def update(self):
        self.calls += 1
        if self.calls % self.every:
            return
        if self.calls <= self.start:
            self.shadow.load_state_dict(self.model.state_dict())
            return
        for s, p in zip(self.shadow.parameters(), self.model.parameters()):
            s.lerp_(p, 1 - self.beta)


def cycle(loader):
    while True:
        yield from loader


model = Denoiser()
ema = EMA(model)
opt = torch.optim.AdamW(model.parameters(), 1e-3)
alphas = torch.linspace(0.99, 0.1, 10)
dl = cycle(DataLoader(TensorDataset(torch.randn(40, 2)), batch_size=8, shuffle=True))
ACCUM = 2
for step in range(14):
    total = 0.0
    for _ in range(ACCUM):
        (x,) = next(dl)
        t = torch.randint(0, 10, (len(x),))
        noise = torch.randn_like(x)
        a = alphas[t][:, None]
        loss = F.mse_loss(model(a.sqrt() * x + (1 - a).sqrt() * noise, t), noise) / ACCUM
        total += loss.item()
        loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    opt.zero_grad()
    ema.update()
