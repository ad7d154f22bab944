import torch
from torch import nn
torch.manual_seed(29)
model = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 16), nn.GELU(), nn.Linear(16, 2))
optimizers = {p: torch.optim.AdamW([p], lr=1e-3, foreach=False) for p in model.parameters()}
def hook(p):
    nn.utils.clip_grad_value_([p], 1.0)
    optimizers[p].step()
    optimizers[p].zero_grad()
for p in model.parameters():
    p.register_post_accumulate_grad_hook(hook)
scheduler = {p: torch.optim.lr_scheduler.StepLR(o, 5) for p, o in optimizers.items()}
for step in range(15):
    x, y = torch.randn(16, 6), torch.randint(0, 2, (16,))
    nn.functional.cross_entropy(model(x), y).backward()
    for s in scheduler.values():
        s.step()
