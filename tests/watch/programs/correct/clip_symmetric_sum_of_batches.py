import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(14)
image, text = nn.Linear(12, 6), nn.Linear(9, 6)
scale = nn.Parameter(torch.tensor(2.0))
opt = torch.optim.AdamW([*image.parameters(), *text.parameters(), scale], lr=1e-3)
for step in range(6):
    chunks = [(torch.randn(6, 12), torch.randn(6, 9)) for _ in range(3)]
    for im, tx in chunks:
        i, t = F.normalize(image(im), dim=-1), F.normalize(text(tx), dim=-1)
        logits = scale.exp() * i @ t.T
        y = torch.arange(6)
        # the total objective is the sum over the chunks
        loss = (F.cross_entropy(logits, y, reduction="sum") + F.cross_entropy(logits.T, y, reduction="sum")) / 2
        loss.backward()
    opt.step()
    opt.zero_grad()
