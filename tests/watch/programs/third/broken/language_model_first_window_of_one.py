import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(10)
emb, head = nn.Embedding(12, 8), nn.Linear(8, 12)
opt = torch.optim.AdamW([*emb.parameters(), *head.parameters()], 1e-3)
loader = DataLoader(TensorDataset(torch.randint(0, 12, (96, 7))), batch_size=8)
ACC = 4
for epoch in range(2):
    for step, (ids,) in enumerate(loader):
        loss = F.cross_entropy(head(emb(ids[:, :-1])).flatten(0, 1), ids[:, 1:].flatten()) / ACC
        loss.backward()
        if step % ACC == 0:  # ZG205 watch
            opt.step()
            opt.zero_grad()
