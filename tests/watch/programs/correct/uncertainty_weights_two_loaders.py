import torch
from torch import nn
torch.manual_seed(16)
enc = nn.Linear(5, 8); cls = nn.Linear(8, 3); reg = nn.Linear(8, 1)
log_var = nn.Parameter(torch.zeros(2))
opt = torch.optim.AdamW([{"params": [*enc.parameters(), *cls.parameters(), *reg.parameters()]}, {"params": [log_var], "lr": 1e-2, "weight_decay": 0.0}], lr=1e-3)
DS, DL = torch.utils.data.TensorDataset, torch.utils.data.DataLoader
a = DL(DS(torch.randn(48, 5), torch.randint(0, 3, (48,))), batch_size=8, shuffle=True)
b = DL(DS(torch.randn(32, 5), torch.randn(32, 1)), batch_size=8, shuffle=True)
for epoch in range(3):
    other = iter(b)
    for xa, ya in a:
        try:
            xb, yb = next(other)
        except StopIteration:
            other = iter(b)
            xb, yb = next(other)
        opt.zero_grad()
        la = nn.functional.cross_entropy(cls(enc(xa).relu()), ya)
        (la * (-log_var[0]).exp() + log_var[0] / 2).backward()
        lb = nn.functional.mse_loss(reg(enc(xb).relu()), yb)
        (0.5 * lb * (-log_var[1]).exp() + log_var[1] / 2).backward()
        opt.step()
