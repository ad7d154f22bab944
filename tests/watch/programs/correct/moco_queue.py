import copy
import torch
from torch import nn
torch.manual_seed(13)
q = nn.Sequential(nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 8))
k = copy.deepcopy(q)
for p in k.parameters():
    p.requires_grad = False
queue = nn.functional.normalize(torch.randn(8, 64), dim=0); ptr = 0
opt = torch.optim.SGD(q.parameters(), 0.03, momentum=0.9, weight_decay=1e-4)
loader = torch.utils.data.DataLoader(torch.randn(64, 10), batch_size=16, shuffle=True, drop_last=True)
for epoch in range(3):
    for x in loader:
        a, b = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
        query = nn.functional.normalize(q(a), dim=1)
        with torch.no_grad():
            for pq, pk in zip(q.parameters(), k.parameters()):
                pk.data = pk.data * 0.99 + pq.data * 0.01
            key = nn.functional.normalize(k(b), dim=1)
        pos = (query * key).sum(1, keepdim=True)
        neg = query @ queue.clone().detach()
        loss = nn.functional.cross_entropy(torch.cat([pos, neg], 1) / 0.07, torch.zeros(len(x), dtype=torch.long))
        opt.zero_grad()
        loss.backward()
        opt.step()
        queue[:, ptr:ptr + len(x)] = key.T
        ptr = (ptr + len(x)) % 64
