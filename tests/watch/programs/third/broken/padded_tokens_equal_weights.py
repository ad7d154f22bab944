import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(20)
emb, head = nn.Embedding(12, 8), nn.Linear(8, 12)
opt = torch.optim.AdamW([*emb.parameters(), *head.parameters()], 1e-2)
ids = torch.randint(0, 12, (64, 16))
labels = ids.roll(-1, 1)
for row, length in zip(labels, torch.randint(2, 17, (64,))):
    row[length:] = -100
labels[::8] = -100
labels[::8, :2] = 3
loader = DataLoader(TensorDataset(ids, labels), batch_size=2)
ACC = 4
for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(head(emb(x)).flatten(0, 1), y.flatten(), ignore_index=-100) / ACC
        loss.backward()  # ZG208 watch
        if (i + 1) % ACC == 0:
            opt.step()
            opt.zero_grad()
