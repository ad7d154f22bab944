import torch
from torch import nn
torch.manual_seed(50)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.AdamW(model.parameters(), 1e-3)
ds = torch.utils.data.TensorDataset(torch.randn(50, 4), torch.randint(0, 2, (50,)))
loader = torch.utils.data.DataLoader(ds, batch_size=5)
k = 4
for epoch in range(3):
    n = len(loader)
    for i, (x, y) in enumerate(loader):
        window = min(k, n - (i // k) * k)
        (nn.functional.cross_entropy(model(x), y) / window).backward()
        if (i + 1) % k == 0 or i + 1 == n:
            opt.step()
            opt.zero_grad()
