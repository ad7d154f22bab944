import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
torch.manual_seed(8)
unet = nn.Sequential(nn.Linear(3, 24), nn.SiLU(), nn.Linear(24, 2))
averaged = AveragedModel(unet, multi_avg_fn=get_ema_multi_avg_fn(0.99))
opt = torch.optim.Adam(unet.parameters(), 1e-3)
gradient_accumulate_every = 3
def batches():
    while True:
        yield torch.randn(8, 2)
it = batches()
for step in range(8):
    total = 0.
    for _ in range(gradient_accumulate_every):
        x = next(it)
        t = torch.rand(8, 1)
        noise = torch.randn_like(x)
        loss = nn.functional.mse_loss(unet(torch.cat([x * (1 - t) + noise * t, t], 1)), noise - x)
        loss = loss / 8
        total += loss.item()
        loss.backward()  # ZG204 watch
    nn.utils.clip_grad_norm_(unet.parameters(), 1.)
    opt.step()
    opt.zero_grad()
    averaged.update_parameters(unet)
