import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(99)
net = nn.Linear(6, 4)
opt = torch.optim.Adam(net.parameters(), 1e-2)
loader = DataLoader(TensorDataset(torch.randn(60, 6), torch.randint(0, 4, (60,))), batch_size=6)
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        e = F.normalize(net(x), dim=1)
        d = torch.cdist(e, e)
        same = y[:, None] == y[None]
        hard = [(i, j, k) for i in range(6) for j in range(6) for k in range(6)
                if i != j and same[i, j] and not same[i, k] and d[i, k] < d[i, j] + 0.2]
        if not hard:
            continue
        a, p, n = (torch.tensor(t) for t in zip(*hard))
        F.relu(d[a, p] - d[a, n] + 0.2).mean().backward()
        opt.step()
