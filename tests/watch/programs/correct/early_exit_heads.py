import torch
from torch import nn
torch.manual_seed(41)
stages = nn.ModuleList(nn.Sequential(nn.Linear(8, 8), nn.ReLU()) for _ in range(3))
exits = nn.ModuleList(nn.Linear(8, 4) for _ in range(3))
opt = torch.optim.SGD([*stages.parameters(), *exits.parameters()], lr=0.05)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 8), torch.randint(0, 4, (64,))), batch_size=16)
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        h = x
        for i, (stage, out) in enumerate(zip(stages, exits)):
            h = stage(h)
            nn.functional.cross_entropy(out(h), y).backward(retain_graph=i < 2)
        opt.step()
