import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(54)
trunk = nn.Linear(6, 12)
heads = nn.ModuleDict({"a": nn.Linear(12, 3), "b": nn.Linear(12, 1), "c": nn.Linear(12, 2)})
opt = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], 1e-3)
history = {k: [1.0, 1.0] for k in heads}
names = list(heads)
for step in range(24):
    name = names[torch.multinomial(torch.tensor([0.5, 0.3, 0.2]), 1).item()]
    x = torch.randn(8, 6)
    out = heads[name](trunk(x).relu())
    loss = F.mse_loss(out, x[:, :1]) if name == "b" else F.cross_entropy(out, torch.randint(0, out.shape[1], (8,)))
    ratio = history[name][-1] / history[name][-2]
    weight = 3 * torch.softmax(torch.tensor([ratio, 1.0, 1.0]) / 2, 0)[0]
    opt.zero_grad()
    (weight * loss).backward()
    opt.step()
    history[name].append(loss.item())
