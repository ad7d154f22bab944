import torch
from torch import nn

torch.manual_seed(9)
emb = nn.Embedding(50, 8, sparse=True)
clf = nn.Linear(8, 3)
opt_sparse = torch.optim.SparseAdam(emb.parameters(), lr=1e-2)
opt_dense = torch.optim.Adam(clf.parameters(), lr=1e-2)

for step in range(6):
    words = torch.randint(0, 50, (12, 4))
    tags = torch.randint(0, 3, (12,))
    opt_sparse.zero_grad()
    opt_dense.zero_grad()
    loss = nn.functional.cross_entropy(clf(emb(words).mean(1)), tags)
    loss.backward()
    opt_sparse.step()
    opt_dense.step()
print(loss.item())
