import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(71)


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(50, 8, sparse=True)
        self.wte = nn.Embedding(16, 8)
        self.body = nn.Linear(8, 8)
        self.head = nn.Linear(8, 16, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, u, ids):
        return self.head(self.body(self.wte(ids) + self.user(u)[:, None]).tanh())


model = LM()
dense = torch.optim.AdamW([p for n, p in model.named_parameters() if not n.startswith("user")], 1e-3)
sparse = torch.optim.SparseAdam(model.user.parameters(), 1e-3)
for step in range(12):
    u, ids = torch.randint(0, 50, (4,)), torch.randint(0, 16, (4, 7))
    loss = F.cross_entropy(model(u, ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    dense.zero_grad()
    sparse.zero_grad()
    loss.backward()
    dense.step()
    sparse.step()
