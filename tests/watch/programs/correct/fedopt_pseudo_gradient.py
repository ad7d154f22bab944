import copy
import torch
from torch import nn
torch.manual_seed(18)
server = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
server_opt = torch.optim.Adam(server.parameters(), lr=0.05)
shards = [(torch.randn(24, 4), torch.randint(0, 2, (24,))) for _ in range(4)]
for rnd in range(5):
    picked = torch.randperm(4)[:2].tolist()
    updates = []
    for i in picked:
        model = copy.deepcopy(server).train()
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        x, y = shards[i]
        for epoch in range(2):
            for idx in torch.randperm(24).split(8):
                loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
                prox = sum((p - s.detach()).square().sum() for p, s in zip(model.parameters(), server.parameters()))
                opt.zero_grad()
                (loss + 0.05 * prox).backward()
                opt.step()
        updates.append({k: v.detach() for k, v in model.state_dict().items()})
    server_opt.zero_grad()
    for name, p in server.named_parameters():
        p.grad = p.data - torch.stack([u[name] for u in updates]).mean(0)
    server_opt.step()
