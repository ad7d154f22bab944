import torch
from torch import nn
torch.manual_seed(30)
rnn, head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], 1e-3)
for stage, length in enumerate((4, 8, 16)):
    for g in opt.param_groups:
        g["lr"] = 1e-3 / (stage + 1)
    for _ in range(5):
        x = torch.randn(6, length, 3)
        opt.zero_grad()
        out, _ = rnn(x)
        ((head(out[:, -1]) - x.sum((1, 2))[:, None]) ** 2).mean().backward()
        nn.utils.clip_grad_norm_([*rnn.parameters(), *head.parameters()], 1.0)
        opt.step()
