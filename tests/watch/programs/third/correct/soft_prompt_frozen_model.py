import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(25)
lm = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
words, head = nn.Embedding(20, 8), nn.Linear(8, 20)
for m in (lm, words, head):
    m.requires_grad_(False)
prompt = nn.Parameter(words.weight[:4].clone())
optimizer = torch.optim.Adafactor([prompt], lr=1e-1) if hasattr(torch.optim, "Adafactor") else torch.optim.Adam([prompt], 1e-1)
for step in range(10):
    ids = torch.randint(0, 20, (4, 6))
    h = torch.cat([prompt.expand(4, -1, -1), words(ids)], 1)
    logits = head(lm(h))[:, 4:-1]
    loss = F.cross_entropy(logits.reshape(-1, 20), ids[:, 1:].reshape(-1))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
