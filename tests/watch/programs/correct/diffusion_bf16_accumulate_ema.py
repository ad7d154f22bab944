import copy
import itertools
import torch
from torch import nn
torch.manual_seed(7)
net = nn.Sequential(nn.Linear(9, 32), nn.SiLU(), nn.Linear(32, 8))
ema = copy.deepcopy(net).requires_grad_(False)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.0)
images = torch.randn(64, 8)
def cycle(loader):
    while True:
        yield from loader
batches = cycle(torch.utils.data.DataLoader(images, batch_size=8, shuffle=True))
alphas = torch.linspace(0.999, 0.01, 50)
accumulate_every = 2
for step in range(15):
    total = 0.0
    for _ in range(accumulate_every):
        x = next(batches)
        t = torch.randint(0, 50, (len(x),))
        noise = torch.randn_like(x)
        a = alphas[t][:, None]
        noisy = a.sqrt() * x + (1 - a).sqrt() * noise
        with torch.autocast("cpu", dtype=torch.bfloat16):
            pred = net(torch.cat([noisy, t[:, None] / 50], 1))
            loss = ((pred - noise).square().mean(1) * a.squeeze(1).clamp(max=5)).mean()
            loss = loss / accumulate_every
        total += loss.item()
        loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    opt.zero_grad()
    with torch.no_grad():
        for e, p in zip(ema.parameters(), net.parameters()):
            e.lerp_(p, 0.05)
print(len(list(itertools.islice(batches, 1))))
