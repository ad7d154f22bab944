import torch
from torch import nn
torch.manual_seed(40)
model = nn.Sequential(nn.Embedding(30, 12), nn.Linear(12, 30))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
sentences = [torch.randint(0, 30, (n,)) for n in torch.randint(4, 20, (60,)).tolist()]
budget = 64
tokens = 0
for epoch in range(2):
    for s in torch.utils.data.DataLoader(sentences, batch_size=None, shuffle=True):
        loss = nn.functional.cross_entropy(model(s[:-1]), s[1:], reduction="sum")
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # ZG404 watch
        tokens += len(s) - 1
        if tokens >= budget:
            for p in model.parameters():
                p.grad.div_(tokens)
            opt.step()
            opt.zero_grad(set_to_none=True)
            tokens = 0
    if tokens:
        for p in model.parameters():
            p.grad.div_(tokens)
        opt.step()
        opt.zero_grad(set_to_none=True)
        tokens = 0
